import Foundation

// Values as Swift types.

extension RemoteConfigValue {
  /// The value as a Swift type: numbers, flags and texts from the text, everything else from JSON.
  public func decoded<Value: Decodable>(asType: Value.Type = Value.self) throws -> Value {
    let leaf: Any?
    switch Value.self {
    case is Date.Type:
      throw RemoteConfigValueCodableError.unsupportedType("Date is no type of a value.")
    case is String.Type: leaf = stringValue
    case is Bool.Type: leaf = boolValue
    case is Data.Type: leaf = dataValue
    case is Double.Type: leaf = numberValue.doubleValue
    case is Float.Type: leaf = numberValue.floatValue
    case let type as any FixedWidthInteger.Type: leaf = integer(type)
    default: return try JSONDecoder().decode(Value.self, from: dataValue)
    }
    guard let value = leaf as? Value else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "\"\(stringValue)\" is no \(Value.self).")
      )
    }
    return value
  }

  /// The whole part of the number at the beginning of the text; nil where the type cannot hold it.
  private func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Any? {
    if let number = Number(stringValue) { return number }
    return Number(exactly: numberValue.doubleValue.rounded(.towardZero))
  }
}

extension RemoteConfig {
  /// All values that the app sees, as the members of a Swift type.
  public func decoded<Value: Decodable>(asType: Value.Type = Value.self) throws -> Value {
    try Value(from: ConfigDecoder(config: self))
  }

  /// The value of a key as a Swift type; nil where it is none.
  public subscript<Value: Decodable>(decodedValue key: String) -> Value? {
    let value = configValue(forKey: key)
    if value.source == .static { return nil }
    // Named, since `try?` would take an optional of it too.
    return try? value.decoded(asType: Value.self)
  }

  /// The value of a key as an object of JSON; nil where it is none.
  public subscript(jsonValue key: String) -> [String: AnyHashable]? {
    let value = configValue(forKey: key)
    return value.source == .static ? nil : value.jsonValue as? [String: AnyHashable]
  }

  /// Sets the app's defaults from the members of a Swift value.
  public func setDefaults<Value: Encodable>(from value: Value) throws {
    let data = try JSONEncoder().encode(value)
    guard let members = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
      throw RemoteConfigCodableError.invalidSetDefaultsInput("\(Value.self) has no members.")
    }
    setDefaults(members.compactMapValues(DefaultValue.object))
  }
}

/// Decodes a type's members from the values of the keys that are named like them.
private struct ConfigDecoder: Decoder {
  let config: RemoteConfig
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(ConfigMembers<Key>(config: config))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.shapeless }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.shapeless }

  private static let shapeless = DecodingError.dataCorrupted(
    .init(codingPath: [], debugDescription: "The parameters are members with names.")
  )
}

/// The values of keys as members.
private struct ConfigMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let config: RemoteConfig
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { config.keys(withPrefix: nil).compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { config[key.stringValue].source != .static }

  func decodeNil(forKey key: Key) -> Bool { !contains(key) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    guard contains(key) else {
      throw DecodingError.keyNotFound(
        key,
        .init(codingPath: [], debugDescription: "There is no parameter \(key.stringValue).")
      )
    }
    return try config[key.stringValue].decoded()
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw Self.flat(key) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw Self.flat(key)
  }

  func superDecoder() throws -> any Decoder { ConfigDecoder(config: config) }

  func superDecoder(forKey key: Key) throws -> any Decoder { throw Self.flat(key) }

  private static func flat(_ key: Key) -> DecodingError {
    DecodingError.dataCorrupted(
      .init(codingPath: [key], debugDescription: "A parameter is decoded as a whole.")
    )
  }
}
