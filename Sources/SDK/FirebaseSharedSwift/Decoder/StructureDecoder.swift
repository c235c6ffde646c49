import Foundation

/// Decodes one value.
struct StructureDecoder: Decoder {
  let options: FirebaseDataDecoder
  let userInfo: [CodingUserInfoKey: Any]
  let codingPath: [any CodingKey]
  let value: Any

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard !isNull else { throw missingContainer("keyed", KeyedDecodingContainer<Key>.self) }
    guard let members else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(KeyedStructureDecoder(self, members))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let elements = parameter.map { $0.arrayValue() } ?? value as? [Any]
    guard !isNull else { throw missingContainer("unkeyed", (any UnkeyedDecodingContainer).self) }
    guard let elements else { throw mismatch([Any].self) }
    return UnkeyedStructureDecoder(self, elements)
  }

  /// The error where a container is looked for in null, as in a document that is not there; the words
  /// are those of Google's libraries, which apps show.
  private func missingContainer(_ kind: String, _ type: any Any.Type) -> DecodingError {
    let description = "Cannot get \(kind) decoding container -- found null value instead."
    return .valueNotFound(type, .init(codingPath: codingPath, debugDescription: description))
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    SingleValueStructureDecoder(decoder: self)
  }

  /// The members of an object; nil where the value is none.
  var members: [String: Any]? {
    if let parameter { return parameter.dictionaryValue() }
    return value as? [String: Any]
  }

  /// The decoder of a part.
  func child(_ key: any CodingKey, _ value: Any) -> StructureDecoder {
    StructureDecoder(
      options: options,
      userInfo: userInfo,
      codingPath: codingPath + [key],
      value: value
    )
  }

  var isNull: Bool { value is NSNull }

  /// Decodes by the strategies, or else as the type decodes itself.
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if options.passthroughTypeResolver.isPassthroughType(value), let same = value as? T {
      return same
    }
    let decoded: Any? =
      switch type {
      case let type as any PassthroughValue.Type: try passedThrough(type)
      case is Date.Type: try date()
      case is Data.Type: try data()
      case is URL.Type: try url()
      case is Decimal.Type: try number(Decimal.self).decimalValue
      case let type as any StringKeyedDecodable.Type: try type.decodeMembers(from: self)
      default: nil
      }
    if let decoded, let result = decoded as? T { return result }
    return try T(from: self)
  }

  private func passedThrough<T: PassthroughValue>(_ type: T.Type) throws -> T {
    guard let passed = T(passedThrough: value) else { throw mismatch(type) }
    return passed
  }

  private func date() throws -> Date {
    switch options.dateDecodingStrategy {
    case .deferredToDate: return try Date(from: self)
    case .secondsSince1970: return Date(timeIntervalSince1970: try double())
    case .millisecondsSince1970: return Date(timeIntervalSince1970: try double() / 1_000)
    case .custom(let body): return try body(self)
    case .iso8601:
      guard let date = try? Date(text(), strategy: .iso8601) else {
        throw corrupted("Expected date string to be ISO8601-formatted.")
      }
      return date
    case .formatted(let formatter):
      guard let date = formatter.date(from: try text()) else {
        throw corrupted("Date string does not match format expected by formatter.")
      }
      return date
    }
  }

  private func data() throws -> Data {
    if let parameter { return parameter.dataValue() }
    switch options.dataDecodingStrategy {
    case .deferredToData: return try Data(from: self)
    case .custom(let body): return try body(self)
    case .base64:
      guard let data = Data(base64Encoded: try text()) else {
        throw corrupted("Encountered Data is not valid Base64.")
      }
      return data
    }
  }

  private func url() throws -> URL {
    guard let url = URL(string: try text()) else { throw corrupted("Invalid URL string.") }
    return url
  }

  /// Members with their keys as the strategy has them; where two become one, any of them is kept.
  func converted(_ members: [String: Any]) -> [String: Any] {
    switch options.keyDecodingStrategy {
    case .useDefaultKeys: members
    case .convertFromSnakeCase: renamed(members) { SnakeCase.camel($0) }
    case .custom(let body):
      renamed(members) { body(codingPath + [StructureKey(stringValue: $0)]).stringValue }
    }
  }

  private func renamed(
    _ members: [String: Any],
    _ name: (String) -> String
  ) -> [String: Any] {
    Dictionary(members.map { (name($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
  }
}

/// A dictionary by texts, whose keys no strategy touches.
private protocol StringKeyedDecodable {
  static func decodeMembers(from decoder: StructureDecoder) throws -> Any
}

extension Dictionary: StringKeyedDecodable where Key == String, Value: Decodable {
  fileprivate static func decodeMembers(from decoder: StructureDecoder) throws -> Any {
    guard let members = decoder.members else {
      throw decoder.mismatch([String: Any].self)
    }
    var decoded: [String: Value] = [:]
    for (key, value) in members {
      let child = decoder.child(StructureKey(stringValue: key), value)
      decoded[key] = try child.decode(Value.self)
    }
    return decoded
  }
}
