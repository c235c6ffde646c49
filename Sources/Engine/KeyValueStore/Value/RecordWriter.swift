// The form of small records: a format byte, then fields, each a tag byte, a length as a varint (seven
// bits a byte, the lowest first) and that many bytes. A field that is absent has its default. Readers
// pass over tags that they do not know, so a newer minor form stays readable; a format byte that they
// do not know is corruption.

/// Builds one record.
package struct RecordWriter {
  static let format: UInt8 = 1

  /// The record so far, with its format byte first; complete after the last `put`.
  package private(set) var bytes: [UInt8] = [Self.format]

  /// A record without fields.
  package init() {}

  /// Appends a field of bytes; leaves out nil.
  package mutating func put(_ tag: UInt8, bytes content: [UInt8]?) {
    guard let content else { return }
    bytes.append(tag)
    putVarint(UInt64(content.count))
    bytes.append(contentsOf: content)
  }

  /// Appends a field of UTF-8; leaves out nil.
  package mutating func put(_ tag: UInt8, _ text: String?) {
    guard let text else { return }
    bytes.append(tag)
    putVarint(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// Appends a number as eight bytes; leaves out zero and nil.
  package mutating func put(_ tag: UInt8, _ number: Int64?) {
    guard let number, number != 0 else { return }
    bytes.append(tag)
    bytes.append(8)
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends a field that says yes; leaves out false.
  package mutating func put(_ tag: UInt8, _ flag: Bool) {
    if flag { put(tag, Int64(1)) }
  }

  /// Appends a record within the record.
  package mutating func put(_ tag: UInt8, _ body: (inout RecordWriter) -> Void) {
    var inner = RecordWriter()
    body(&inner)
    put(tag, bytes: inner.bytes)
  }

  private mutating func putVarint(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
