extension Text {
  /// The text of bytes that are known to be valid UTF-8.
  package init(validated bytes: UnsafeRawBufferPointer) {
    self.init(String(decoding: bytes, as: UTF8.self))
  }

  /// Compares by UTF-8 bytes in one pass.
  package func compare(_ other: Text) -> Ordering {
    withBytes { first in other.withBytes { compareBytes(first, $0) } }
  }
}
