import BaseStatus
import BaseText

// The wire form: `{"__oid__": "507f191e810c19729de860ea"}` and the like.

extension BSONValue {
  /// True if a map with that name as its only key is a value of a BSON type.
  package static func isReserved(_ key: Text) -> Bool { parsers[key] != nil }

  /// The value that a map stands for; nil for maps of other shapes.
  ///
  /// Refuses a map with a reserved key whose content is not of its type. Binary data of subtype 0 is plain
  /// bytes.
  package static func value(of map: MapValue) throws(ServiceError) -> Value? {
    guard map.entries.count == 1, let parse = parsers[map.entries[0].key] else { return nil }
    return try parse(map.entries[0].value)
  }

  /// The map that clients send and receive.
  package var map: MapValue {
    switch self {
    case .minKey: Self.map("__min__", .null)
    case .maxKey: Self.map("__max__", .null)
    case .int32(let number): Self.map("__int__", .integer(Int64(number)))
    case .decimal(let number): Self.map("__decimal128__", .string(Text(number.text)))
    case .objectID(let id): Self.map("__oid__", .string(Text(id.text)))
    case .binary(let subtype, let bytes): Self.map("__binary__", .bytes([subtype] + bytes))
    case .timestamp(let time):
      Self.map(
        "__request_timestamp__",
        .map(
          MapValue([
            MapValue.Entry(key: "increment", value: .integer(Int64(time.increment))),
            MapValue.Entry(key: "seconds", value: .integer(Int64(time.seconds))),
          ])
        )
      )
    case .regex(let pattern, let options):
      Self.map(
        "__regex__",
        .map(
          MapValue([
            MapValue.Entry(key: "options", value: .string(options)),
            MapValue.Entry(key: "pattern", value: .string(pattern)),
          ])
        )
      )
    }
  }

  private typealias Parser = @Sendable (Value) throws(ServiceError) -> Value

  private static let parsers: [Text: Parser] = [
    "__min__": { value throws(ServiceError) in try key(value, "__min__", .minKey) },
    "__max__": { value throws(ServiceError) in try key(value, "__max__", .maxKey) },
    "__int__": int32,
    "__decimal128__": decimal,
    "__oid__": objectID,
    "__binary__": binary,
    "__request_timestamp__": timestamp,
    "__regex__": regex,
  ]

  private static func map(_ key: Text, _ value: Value) -> MapValue {
    MapValue([MapValue.Entry(key: key, value: value)])
  }

  private static func refusal(_ key: String, _ wanted: String) -> ServiceError {
    .invalidArgument("The value of '\(key)' must be \(wanted).")
  }

  private static func key(
    _ value: Value,
    _ name: String,
    _ key: BSONValue
  ) throws(ServiceError) -> Value {
    guard value.isNull else { throw refusal(name, "null") }
    return .bson(key)
  }

  private static func int32(_ value: Value) throws(ServiceError) -> Value {
    guard case .integer(let number) = value, let small = Int32(exactly: number) else {
      throw refusal("__int__", "an integer from -2147483648 to 2147483647")
    }
    return .bson(.int32(small))
  }

  private static func decimal(_ value: Value) throws(ServiceError) -> Value {
    guard case .string(let text) = value, text.byteCount <= 10_000,
      let number = Decimal128(text.string)
    else {
      throw refusal(
        "__decimal128__",
        "the text of a decimal number with at most 34 digits and an exponent within decimal128's range"
      )
    }
    return .bson(.decimal(number))
  }

  private static func objectID(_ value: Value) throws(ServiceError) -> Value {
    guard case .string(let text) = value, let id = BSONObjectID(text.string) else {
      throw refusal("__oid__", "a text of 24 hexadecimal digits")
    }
    return .bson(.objectID(id))
  }

  private static func binary(_ value: Value) throws(ServiceError) -> Value {
    guard case .bytes(let bytes) = value, let subtype = bytes.first else {
      throw refusal("__binary__", "bytes, the first of which is the subtype")
    }
    let content = Array(bytes.dropFirst())
    return subtype == 0 ? .bytes(content) : .bson(.binary(subtype: subtype, content))
  }

  private static func timestamp(_ value: Value) throws(ServiceError) -> Value {
    guard case .map(let map) = value, map.entries.count == 2,
      case .integer(let seconds)? = map["seconds"],
      case .integer(let increment)? = map["increment"],
      let first = UInt32(exactly: seconds), let second = UInt32(exactly: increment)
    else {
      throw refusal(
        "__request_timestamp__",
        "a map of 'seconds' and 'increment', integers from 0 to 4294967295"
      )
    }
    return .bson(.timestamp(BSONTimestamp(seconds: first, increment: second)))
  }

  private static func regex(_ value: Value) throws(ServiceError) -> Value {
    guard case .map(let map) = value, map.entries.count == 2,
      case .string(let pattern)? = map["pattern"], case .string(let options)? = map["options"]
    else { throw refusal("__regex__", "a map of 'pattern' and 'options', both texts") }
    for option in options.string where !"imsux".contains(option) {
      throw .invalidArgument(
        "Invalid regex option '\(option)'. Supported options are 'i', 'm', 's', 'u', and 'x'."
      )
    }
    return .bson(.regex(pattern: pattern, options: Text(String(Set(options.string).sorted()))))
  }
}
