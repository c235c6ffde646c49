import BaseStatus

/// A protobuf message of the first version, with all its fields; groups are messages of their own.
///
/// The bytes that it was read from must outlive it.
struct Message {
  /// A field with its number and one value.
  struct Field {
    let number: Int
    let value: FieldValue
  }

  private(set) var fields: [Field] = []

  /// Reads a message; INVALID_ARGUMENT where it is none.
  init(_ bytes: UnsafeRawBufferPointer) throws(ServiceError) {
    var reader = MessageReader(bytes)
    while let field = try reader.next() { fields.append(field) }
  }

  /// The message without fields.
  init() {}

  /// Reads a message that may be absent, which is one without fields.
  init(_ bytes: UnsafeRawBufferPointer?) throws(ServiceError) {
    if let bytes { try self.init(bytes) } else { self.init() }
  }

  /// The first value of a field.
  func first(_ number: Int) -> FieldValue? { fields.first { $0.number == number }?.value }

  func bytes(_ number: Int) -> UnsafeRawBufferPointer? {
    if case .bytes(let bytes)? = first(number) { bytes } else { nil }
  }

  func number(_ number: Int) -> UInt64? {
    if case .number(let value)? = first(number) { value } else { nil }
  }
}

/// The value of a field, whose bytes are lent.
enum FieldValue {
  case number(UInt64)
  case fixed(UInt64)
  case bytes(UnsafeRawBufferPointer)
  /// The fields of a group, which are a message.
  case group(UnsafeRawBufferPointer)
}

extension [UInt8] {
  /// Lends the bytes to readers of messages.
  func withMessage<R>(
    _ body: (UnsafeRawBufferPointer) throws(ServiceError) -> R
  ) throws(ServiceError) -> R {
    try withUnsafeBufferPointer { buffer throws(ServiceError) in
      try body(UnsafeRawBufferPointer(buffer))
    }
  }
}
