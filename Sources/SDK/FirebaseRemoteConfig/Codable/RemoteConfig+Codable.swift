import FirebaseSharedSwift
import Foundation

// Values as Swift types.

extension RemoteConfigValue {
  /// The value as a Swift type: numbers, flags and texts from the text, lists and objects from JSON.
  ///
  /// A text that is no number is 0, and one that is no list or object throws `DecodingError.typeMismatch`.
  public func decoded<Value: Decodable>(asType: Value.Type = Value.self) throws -> Value {
    if asType == Date.self {
      throw RemoteConfigValueCodableError.unsupportedType(
        "Date is not a supported type of a value."
      )
    }
    return try FirebaseDataDecoder().decode(Value.self, from: Parameter(value: self))
  }
}

extension RemoteConfig {
  /// All values that the app sees, as the members of a Swift type.
  public func decoded<Value: Decodable>(
    asType: Value.Type = Value.self,
    decoder: FirebaseDataDecoder = .init()
  ) throws -> Value {
    let values = keys(withPrefix: nil).map { ($0, Parameter(value: configValue(forKey: $0))) }
    return try decoder.decode(Value.self, from: Dictionary(uniqueKeysWithValues: values))
  }

  /// The value of a key as a Swift type; nil where it is none.
  ///
  /// An unknown key has the value of an empty text.
  public subscript<Value: Decodable>(decodedValue key: String) -> Value? {
    // Named, since `try?` would take an optional of it too.
    try? configValue(forKey: key).decoded(asType: Value.self)
  }

  /// The value of a key as an object of JSON; nil where it is none.
  public subscript(jsonValue key: String) -> [String: AnyHashable]? {
    Parameter(value: configValue(forKey: key)).dictionaryValue()
  }

  /// Sets the app's defaults from the members of a Swift value.
  public func setDefaults<Value: Encodable>(
    from value: Value,
    encoder: FirebaseDataEncoder = .init()
  ) throws {
    guard let members = try encoder.encode(value) as? [String: Any] else {
      throw RemoteConfigCodableError.invalidSetDefaultsInput("\(Value.self) has no members.")
    }
    setDefaults(members.compactMapValues(DefaultValue.object))
  }
}

/// A value that a decoder asks for what it needs.
private struct Parameter: FirebaseRemoteConfigValueDecoding {
  let value: RemoteConfigValue

  func numberValue() -> NSNumber { value.numberValue }
  func boolValue() -> Bool { value.boolValue }
  func stringValue() -> String { value.stringValue }
  func dataValue() -> Data { value.dataValue }

  func arrayValue() -> [AnyHashable]? {
    (value.jsonValue as? [Any])?.map(Self.hashable)
  }

  func dictionaryValue() -> [String: AnyHashable]? {
    (value.jsonValue as? [String: Any])?.mapValues(Self.hashable)
  }

  /// A part of JSON, which is equal to another one with the same content; lists and objects are so to their depths.
  private static func hashable(_ part: Any) -> AnyHashable {
    switch part {
    case let list as [Any]: AnyHashable(list.map(hashable))
    case let members as [String: Any]: AnyHashable(members.mapValues(hashable))
    // A number's object is equal to Swift's numbers on Apple's systems alone.
    case let number as NSNumber where number.isBoolean: AnyHashable(number.boolValue)
    case let number as NSNumber where number.isFloating: AnyHashable(number.doubleValue)
    case let number as NSNumber:
      Int64(number.stringValue).map { AnyHashable($0) } ?? AnyHashable(number)
    case let part as AnyHashable: part
    default: AnyHashable(NSNull())
    }
  }
}
