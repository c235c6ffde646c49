import KeyValueStore

/// The error raised on reading an index entry that no maintainer wrote.
enum CorruptIndex {
  /// Names the position, in hexadecimal.
  static func error(_ position: UnsafeRawBufferPointer) -> KeyValueError {
    let digits = position.prefix(64).map { byte in
      let text = String(byte, radix: 16)
      return text.count == 1 ? "0" + text : text
    }
    return KeyValueError(
      .corruption,
      "an index entry does not hold the values that its index says",
      metadata: ["position": digits.joined()]
    )
  }
}
