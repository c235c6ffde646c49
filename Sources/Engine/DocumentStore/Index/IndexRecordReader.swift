import BaseText
import FirestoreModel
import KeyValueStore

/// Reads the parts of stored index definitions.
struct IndexRecordReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  static let damaged = KeyValueError(.corruption, "a stored index definition is malformed")

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }

  mutating func byte() throws -> UInt8 {
    guard position < bytes.count else { throw Self.damaged }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func number() throws -> UInt64 {
    guard let number = readBigEndian(bytes, at: &position) else { throw Self.damaged }
    return number
  }

  mutating func shortNumber() throws -> UInt32 {
    var result: UInt32 = 0
    for _ in 0..<4 { result = result << 8 | UInt32(try byte()) }
    return result
  }

  mutating func segment() throws -> Text {
    guard let text = SegmentEncoding.decode(bytes, at: &position) else { throw Self.damaged }
    return text
  }

  mutating func fieldPath() throws -> FieldPath {
    guard let path = SegmentEncoding.decodePath(bytes, at: &position) else { throw Self.damaged }
    return FieldPath(path.segments)
  }

  mutating func scope() throws -> IndexScope {
    guard let scope = IndexScope(rawValue: try byte()) else { throw Self.damaged }
    return scope
  }

  mutating func mode() throws -> IndexFieldMode {
    guard let mode = IndexFieldMode(rawValue: try byte()) else { throw Self.damaged }
    return mode
  }

  mutating func state() throws -> IndexState {
    let kind = try byte()
    let since = CommitVersion(microseconds: Int64(bitPattern: try number()))
    switch kind {
    case 1: return .creating
    case 2: return .ready(since: since)
    case 3: return .deleting
    case 4: return .failed
    default: throw Self.damaged
    }
  }
}
