import Foundation

/// Encodes one value into a node.
struct StructureEncoder: Encoder {
  let options: FirebaseDataEncoder
  let codingPath: [any CodingKey]
  let node: EncodedNode

  var userInfo: [CodingUserInfoKey: Any] { options.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.becomeKeyed()
    return KeyedEncodingContainer(KeyedStructureEncoder(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.becomeUnkeyed()
    return UnkeyedStructureEncoder(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleValueStructureEncoder(encoder: self)
  }

  /// The encoder of a part.
  func child(_ key: any CodingKey, _ node: EncodedNode) -> StructureEncoder {
    StructureEncoder(options: options, codingPath: codingPath + [key], node: node)
  }

  /// Encodes a value by the strategies, or else as it encodes itself.
  func encode<T: Encodable>(_ value: T) throws {
    // An optional encodes what it holds, which then passes through by itself.
    if !(T.self is any ExpressibleByNilLiteral.Type),
      options.passthroughTypeResolver.isPassthroughType(value)
    {
      node.set(value)
      return
    }
    switch value {
    case let value as any PassthroughValue: node.set(value.passedThrough)
    case let date as Date: try encode(date)
    case let data as Data: try encode(data)
    case let url as URL: node.set(url.absoluteString)
    case let decimal as Decimal: node.set(NSDecimalNumber(decimal: decimal))
    case let dictionary as any StringKeyedEncodable: try dictionary.encodeMembers(into: self)
    default: try value.encode(to: self)
    }
  }

  private func encode(_ date: Date) throws {
    switch options.dateEncodingStrategy {
    case .deferredToDate: try date.encode(to: self)
    case .secondsSince1970: node.set(NSNumber(value: date.timeIntervalSince1970))
    case .millisecondsSince1970: node.set(NSNumber(value: date.timeIntervalSince1970 * 1_000))
    case .iso8601: node.set(date.formatted(.iso8601))
    case .formatted(let formatter): node.set(formatter.string(from: date))
    case .custom(let body): try body(date, self)
    }
  }

  private func encode(_ data: Data) throws {
    switch options.dataEncodingStrategy {
    case .deferredToData: try data.encode(to: self)
    case .base64: node.set(data.base64EncodedString())
    case .custom(let body): try body(data, self)
    }
  }

  func encode(_ number: some BinaryFloatingPoint, _ object: NSNumber) throws {
    if number.isFinite {
      node.set(object)
      return
    }
    guard
      case .convertToString(let plus, let minus, let nan) = options
        .nonConformingFloatEncodingStrategy
    else {
      throw EncodingError.invalidValue(
        number,
        .init(
          codingPath: codingPath,
          debugDescription: "Unable to encode \(number) directly. Use a strategy for such numbers."
        )
      )
    }
    node.set(number.isNaN ? nan : number > 0 ? plus : minus)
  }

  /// A key as the strategy has it.
  func text(of key: any CodingKey) -> String {
    switch options.keyEncodingStrategy {
    case .useDefaultKeys: key.stringValue
    case .convertToSnakeCase: SnakeCase.snake(key.stringValue)
    case .custom(let body): body(codingPath + [key]).stringValue
    }
  }
}

/// A dictionary by texts, whose keys no strategy touches.
private protocol StringKeyedEncodable {
  func encodeMembers(into encoder: StructureEncoder) throws
}

extension Dictionary: StringKeyedEncodable where Key == String, Value: Encodable {
  fileprivate func encodeMembers(into encoder: StructureEncoder) throws {
    encoder.node.becomeKeyed()
    for (key, value) in self {
      let node = encoder.node.member(key, isNew: true)
      try encoder.child(StructureKey(stringValue: key), node).encode(value)
    }
  }
}
