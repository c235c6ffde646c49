import BaseText
import DocumentCodec

/// Cuts what a WebChannel server sends into its texts.
///
/// A text comes behind its length in UTF-16 code units and a line feed; texts follow each other without anything
/// between. Bytes are taken as they come, cut anywhere.
struct ChunkReader {
  /// The error for bytes that break the protocol.
  struct Malformed: Error {}

  /// Longer lengths are no lengths.
  private static let greatestDigits = 10

  private var buffer: [UInt8] = []
  /// The start of the first text that is not whole: at its length.
  private var start = 0
  /// The start of its content, its length and the part of it that was counted; nil until the length
  /// is whole.
  private var text: (start: Int, length: Int, counted: Int, end: Int)?

  /// Takes bytes and calls the body with each text that is whole now.
  mutating func take(
    _ bytes: some Collection<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Void
  ) throws {
    buffer += bytes
    while try findText() {
      guard let found = text else { break }
      try buffer.withUnsafeBufferPointer { buffer in
        let content = UnsafeBufferPointer(rebasing: buffer[found.start..<found.end])
        guard isValidUTF8(UnsafeRawBufferPointer(content)) else { throw Malformed() }
        try body(content)
      }
      start = found.end
      text = nil
    }
    buffer.removeSubrange(..<start)
    if var moved = text {
      moved.start -= start
      moved.end -= start
      text = moved
    }
    start = 0
  }

  /// Returns true if a text is whole now.
  private mutating func findText() throws -> Bool {
    if text == nil, try !readLength() { return false }
    guard var found = text else { return false }
    defer { text = found }
    return buffer.withUnsafeBufferPointer { buffer in
      while found.counted < found.length || Self.isContinuation(buffer, found.end) {
        guard found.end < buffer.count else { return false }
        let byte = buffer[found.end]
        if byte & 0xC0 != 0x80 { found.counted += byte >= 0xF0 ? 2 : 1 }
        found.end += 1
      }
      // The last scalar may continue in bytes that are not there yet.
      return Self.isWhole(buffer[found.start..<found.end])
    }
  }

  private mutating func readLength() throws -> Bool {
    var length = 0
    for index in start..<buffer.count {
      let byte = buffer[index]
      if byte == 0x0A, index > start {
        text = (index + 1, length, 0, index + 1)
        return true
      }
      guard (0x30...0x39).contains(byte), index - start < Self.greatestDigits else {
        throw Malformed()
      }
      length = length * 10 + Int(byte - 0x30)
    }
    return false
  }

  private static func isContinuation(_ buffer: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    index < buffer.count && buffer[index] & 0xC0 == 0x80
  }

  /// Returns true if the last scalar of a text has all of its bytes.
  private static func isWhole(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    let tail = text.suffix(4).reversed()
    guard let lead = tail.firstIndex(where: { $0 & 0xC0 != 0x80 }) else { return true }
    let count = tail.distance(from: tail.startIndex, to: lead) + 1
    switch tail[lead] {
    case 0xF0...: return count >= 4
    case 0xE0...: return count >= 3
    case 0xC0...: return count >= 2
    default: return true
    }
  }
}
