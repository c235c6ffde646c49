import BaseStatus
import BaseText
import FirestoreModel

/// Builds values from protobuf bytes as protobuf says: any order of fields, the last of a oneof
/// wins, messages that come twice are merged, unknown fields are passed over.
///
/// It checks what a `Value` cannot hold (UTF-8, ranges of timestamps and points, names of
/// references); `FieldsCheck` checks Firestore's rules for documents.
struct ValueDecoder {
  /// Beyond any legal document and within any stack.
  private static let maximumDepth = 64

  /// The entries of a `map<string, Value>` field of a message.
  static func map(
    _ message: UnsafeRawBufferPointer,
    field: Int,
    depth: Int = 0
  ) throws -> MapValue {
    var entries: [MapValue.Entry] = []
    var reader = ProtobufReader(message)
    while let next = try reader.nextField() {
      if next == field {
        entries.append(try entry(try reader.content(), depth: depth))
      } else {
        try reader.skip()
      }
    }
    return MapValue(entries)
  }

  /// A `google.firestore.v1.Value`.
  static func value(_ message: UnsafeRawBufferPointer, depth: Int = 0) throws -> Value {
    guard depth <= maximumDepth
    else { throw ServiceError.invalidArgument("The value is nested too deeply.") }
    var found: Member?
    var reader = ProtobufReader(message)
    while let field = try reader.nextField() {
      if let member = try Member(field, &reader) {
        Member.merge(member, into: &found)
      } else {
        try reader.skip()
      }
    }
    guard let found else { throw ServiceError.invalidArgument("A value has no type set.") }
    return try found.value(depth: depth)
  }

  private static func entry(_ message: UnsafeRawBufferPointer, depth: Int) throws -> MapValue.Entry
  {
    var key = Text("")
    var parts: [UnsafeRawBufferPointer] = []
    var reader = ProtobufReader(message)
    while let field = try reader.nextField() {
      switch field {
      case 1: key = Text(try reader.string())
      case 2: parts.append(try reader.content())
      default: try reader.skip()
      }
    }
    guard let first = parts.first else {
      throw ServiceError.invalidArgument("The value of property \"\(key.string)\" is not set.")
    }
    let value =
      parts.count == 1
      ? try Self.value(first, depth: depth)
      : try Array(parts.joined()).withUnsafeBytes { try Self.value($0, depth: depth) }
    return MapValue.Entry(key: key, value: value)
  }

  static func timestamp(_ message: UnsafeRawBufferPointer) throws -> Timestamp {
    var seconds: Int64 = 0
    var nanos: Int32 = 0
    var reader = ProtobufReader(message)
    while let field = try reader.nextField() {
      switch field {
      case 1: seconds = try reader.int64()
      case 2: nanos = try reader.int32()
      default: try reader.skip()
      }
    }
    guard let instant = Timestamp(seconds: seconds, nanos: nanos) else {
      throw ServiceError.invalidArgument(
        "A timestamp must be within 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999999999Z."
      )
    }
    return instant
  }

  fileprivate static func geoPoint(_ message: UnsafeRawBufferPointer) throws -> GeoPoint {
    var latitude = 0.0
    var longitude = 0.0
    var reader = ProtobufReader(message)
    while let field = try reader.nextField() {
      switch field {
      case 1: latitude = try reader.double()
      case 2: longitude = try reader.double()
      default: try reader.skip()
      }
    }
    guard (-90...90).contains(latitude) else {
      throw ServiceError.invalidArgument("A latitude must be within -90 and 90 degrees.")
    }
    guard (-180...180).contains(longitude) else {
      throw ServiceError.invalidArgument("A longitude must be within -180 and 180 degrees.")
    }
    return GeoPoint(latitude: latitude, longitude: longitude)
  }

  fileprivate static func array(_ message: UnsafeRawBufferPointer, depth: Int) throws -> [Value] {
    var elements: [Value] = []
    var reader = ProtobufReader(message)
    while let field = try reader.nextField() {
      if field == 1 {
        elements.append(try value(try reader.content(), depth: depth + 1))
      } else {
        try reader.skip()
      }
    }
    return elements
  }

  fileprivate static func mapOrVector(
    _ message: UnsafeRawBufferPointer,
    depth: Int
  ) throws -> Value {
    let map = try map(message, field: 1, depth: depth + 1)
    if let value = try BSONValue.value(of: map) { return value }
    guard map.entries.count == 2, map["__type__"] == .string("__vector__"),
      case .array(let elements)? = map["value"]
    else { return .map(map) }
    var numbers: [Double] = []
    numbers.reserveCapacity(elements.count)
    for element in elements {
      guard case .double(let number) = element else { return .map(map) }
      numbers.append(number)
    }
    return .vector(numbers)
  }
}

/// A member of the oneof of `Value`, with its content still encoded where it is a message.
private enum Member {
  case scalar(Value)
  case message(field: Int, [UnsafeRawBufferPointer])

  /// Reads the member; nil, nothing read, where the field is none.
  init?(_ field: Int, _ reader: inout ProtobufReader) throws {
    switch field {
    case ValueField.null:
      _ = try reader.varint()
      self = .scalar(.null)
    case ValueField.boolean: self = .scalar(.boolean(try reader.bool()))
    case ValueField.integer: self = .scalar(.integer(try reader.int64()))
    case ValueField.double: self = .scalar(.double(try reader.double()))
    case ValueField.string: self = .scalar(.string(Text(try reader.string())))
    case ValueField.bytes: self = .scalar(.bytes(try reader.byteArray()))
    case ValueField.reference:
      self = .scalar(.reference(try DocumentName(parsing: try reader.string())))
    case ValueField.timestamp, ValueField.geoPoint, ValueField.array, ValueField.map:
      self = .message(field: field, [try reader.content()])
    default: return nil
    }
  }

  /// Adds what came after the members before it: messages of one field are one, whose parts are
  /// joined at the end and not with each.
  static func merge(_ next: Member, into found: inout Member?) {
    guard case .message(let field, let added) = next,
      case .message(field, var parts)? = found.take()
    else {
      found = next
      return
    }
    parts += added
    found = .message(field: field, parts)
  }

  func value(depth: Int) throws -> Value {
    switch self {
    case .scalar(let value): return value
    case .message(let field, let parts):
      if parts.count == 1 { return try Self.value(field, parts[0], depth: depth) }
      return try Array(parts.joined()).withUnsafeBytes {
        try Self.value(field, $0, depth: depth)
      }
    }
  }

  private static func value(
    _ field: Int,
    _ content: UnsafeRawBufferPointer,
    depth: Int
  ) throws -> Value {
    switch field {
    case ValueField.timestamp:
      .timestamp(try ValueDecoder.timestamp(content).truncatedToMicroseconds)
    case ValueField.geoPoint: .geoPoint(try ValueDecoder.geoPoint(content))
    case ValueField.array: .array(try ValueDecoder.array(content, depth: depth))
    default: try ValueDecoder.mapOrVector(content, depth: depth)
    }
  }
}
