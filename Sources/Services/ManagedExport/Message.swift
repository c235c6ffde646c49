import BaseStatus

/// A protobuf message of the first version, read field by field; groups are messages of their own.
struct Message {
  /// A field with its number and one value.
  struct Field {
    let number: Int
    let value: FieldValue
  }

  private(set) var fields: [Field] = []
  /// Groups lie no deeper than that.
  private static let maximumDepth = 64

  /// Reads a message; INVALID_ARGUMENT where it is none.
  init(_ bytes: ArraySlice<UInt8>) throws(ServiceError) {
    var reader = Reader(bytes: bytes, position: bytes.startIndex)
    self = try reader.message(endedBy: nil, depth: 0)
  }

  private init() {}

  /// The first value of a field.
  func first(_ number: Int) -> FieldValue? { fields.first { $0.number == number }?.value }

  func bytes(_ number: Int) -> ArraySlice<UInt8>? {
    if case .bytes(let bytes)? = first(number) { bytes } else { nil }
  }

  func number(_ number: Int) -> UInt64? {
    if case .number(let value)? = first(number) { value } else { nil }
  }

  private struct Reader {
    let bytes: ArraySlice<UInt8>
    var position: Int

    static let malformed = ServiceError.invalidArgument("An entity is malformed.")

    mutating func message(endedBy end: Int?, depth: Int) throws(ServiceError) -> Message {
      guard depth <= Message.maximumDepth else { throw Self.malformed }
      var message = Message()
      while position < bytes.endIndex {
        let tag = try varint()
        guard let number = Int(exactly: tag >> 3), number > 0 else { throw Self.malformed }
        switch tag & 7 {
        case 0: message.fields.append(Field(number: number, value: .number(try varint())))
        case 1: message.fields.append(Field(number: number, value: .fixed(try fixed(8))))
        case 2:
          let length = try varint()
          guard length <= UInt64(bytes.endIndex - position) else { throw Self.malformed }
          let end = position + Int(length)
          message.fields.append(Field(number: number, value: .bytes(bytes[position..<end])))
          position = end
        case 3:
          let group = try self.message(endedBy: number, depth: depth + 1)
          message.fields.append(Field(number: number, value: .group(group)))
        case 4:
          guard number == end else { throw Self.malformed }
          return message
        case 5: _ = try fixed(4)
        default: throw Self.malformed
        }
      }
      guard end == nil else { throw Self.malformed }
      return message
    }

    private mutating func varint() throws(ServiceError) -> UInt64 {
      var value: UInt64 = 0
      for shift in stride(from: 0, to: 70, by: 7) {
        guard position < bytes.endIndex else { throw Self.malformed }
        let byte = bytes[position]
        position += 1
        value |= UInt64(byte & 0x7F) << UInt64(shift)
        if byte < 0x80 { return value }
      }
      throw Self.malformed
    }

    private mutating func fixed(_ count: Int) throws(ServiceError) -> UInt64 {
      guard bytes.endIndex - position >= count else { throw Self.malformed }
      let value = bytes[position..<position + count].reversed().reduce(UInt64(0)) {
        $0 << 8 | UInt64($1)
      }
      position += count
      return value
    }
  }
}

/// The value of a field.
indirect enum FieldValue {
  case number(UInt64)
  case fixed(UInt64)
  case bytes(ArraySlice<UInt8>)
  case group(Message)
}
