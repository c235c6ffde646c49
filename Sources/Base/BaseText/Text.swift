/// A string that compares as Firestore compares strings: by its UTF-8 bytes.
///
/// Swift's `String` equates canonically equivalent texts ("é" composed and decomposed); Firestore
/// keeps them apart. Ids, field names and string values are therefore `Text`.
package struct Text: Sendable {
  /// The text itself; always native UTF-8.
  package let string: String

  /// Wraps a string; its storage is made contiguous UTF-8.
  @inlinable
  package init(_ string: String) {
    var native = string
    native.makeContiguousUTF8()
    self.string = native
  }

  /// The number of UTF-8 bytes.
  @inlinable
  package var byteCount: Int { string.utf8.count }

  /// True if there are no bytes.
  @inlinable
  package var isEmpty: Bool { string.utf8.isEmpty }

  /// Lends the UTF-8 bytes without copying.
  @inlinable
  package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    if let result = try string.utf8.withContiguousStorageIfAvailable({
      try body(UnsafeRawBufferPointer($0))
    }) {
      return result
    }
    return try Array(string.utf8).withUnsafeBytes(body)
  }
}

extension Text: Hashable {
  /// Equality of the UTF-8 bytes; canonically equivalent texts differ.
  @inlinable
  package static func == (left: Text, right: Text) -> Bool {
    left.withBytes { first in
      right.withBytes { first.count == $0.count && compareBytes(first, $0) == .equal }
    }
  }

  /// Hashes the UTF-8 bytes.
  @inlinable
  package func hash(into hasher: inout Hasher) {
    withBytes { hasher.combine(bytes: $0) }
  }
}

extension Text: Comparable {
  /// The order of the UTF-8 bytes, which is that of the code points.
  @inlinable
  package static func < (left: Text, right: Text) -> Bool {
    left.withBytes { first in right.withBytes { compareBytes(first, $0) == .ascending } }
  }
}

extension Text: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Wraps a literal.
  package init(stringLiteral value: String) { self.init(value) }

  /// The text itself, without quotes.
  package var description: String { string }
}
extension Text {
  /// The text of bytes that are known to be valid UTF-8.
  @inlinable
  package init(validated bytes: UnsafeRawBufferPointer) {
    self.init(String(decoding: bytes, as: UTF8.self))
  }

  /// Compares by UTF-8 bytes in one pass.
  @inlinable
  package func compare(_ other: Text) -> Ordering {
    withBytes { first in other.withBytes { compareBytes(first, $0) } }
  }
}
