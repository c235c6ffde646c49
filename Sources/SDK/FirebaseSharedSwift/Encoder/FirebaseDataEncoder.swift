import Foundation

/// Encodes values as dictionaries, arrays and leaves, as far as strategies and a resolver say.
///
/// Numbers become `NSNumber`, nil that is encoded becomes `NSNull`. One encoder serves one thread at a time.
public class FirebaseDataEncoder {
  /// The encoding of dates.
  public enum DateEncodingStrategy {
    /// As `Date` encodes itself.
    case deferredToDate
    /// As seconds since 1970.
    case secondsSince1970
    /// As milliseconds since 1970.
    case millisecondsSince1970
    /// As text of ISO 8601.
    case iso8601
    /// As a formatter's text.
    case formatted(DateFormatter)
    /// As a closure encodes it.
    case custom((Date, any Encoder) throws -> Void)
  }

  /// The encoding of data.
  public enum DataEncodingStrategy {
    /// As `Data` encodes itself.
    case deferredToData
    /// As text in base 64.
    case base64
    /// As a closure encodes it.
    case custom((Data, any Encoder) throws -> Void)
  }

  /// The encoding of numbers that are not finite.
  public enum NonConformingFloatEncodingStrategy {
    /// Not at all: it is an error.
    case `throw`
    /// As these texts.
    case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
  }

  /// The encoding of keys.
  public enum KeyEncodingStrategy {
    /// As they are.
    case useDefaultKeys
    /// In snake case: `oneTwo` becomes `one_two`.
    case convertToSnakeCase
    /// As a closure says for a key with the keys around it.
    case custom(([any CodingKey]) -> any CodingKey)
  }

  /// The encoding of dates.
  public var dateEncodingStrategy = DateEncodingStrategy.deferredToDate
  /// The encoding of data.
  public var dataEncodingStrategy = DataEncodingStrategy.base64
  /// The encoding of numbers that are not finite.
  public var nonConformingFloatEncodingStrategy = NonConformingFloatEncodingStrategy.throw
  /// The encoding of keys; keys of dictionaries stay as they are.
  public var keyEncodingStrategy = KeyEncodingStrategy.useDefaultKeys
  /// The resolver of values that stay the objects that they are.
  public var passthroughTypeResolver: any StructureCodingPassthroughTypeResolver.Type =
    NoPassthroughTypes.self
  /// The options for the values' own encoding.
  public var userInfo: [CodingUserInfoKey: Any] = [:]

  /// An encoder with the strategies of JSON.
  public init() {}

  /// Encodes a value.
  public func encode<T: Encodable>(_ value: T) throws -> Any {
    let node = try encodedNode(value)
    guard let encoded = node.structure else {
      throw EncodingError.invalidValue(
        value,
        .init(codingPath: [], debugDescription: "Top-level \(T.self) did not encode any values.")
      )
    }
    return encoded
  }

  /// Encodes a value that must be a dictionary by itself: no other leaf or array.
  package func encodeDictionary<T: Encodable>(_ value: T) throws -> [String: Any] {
    let node = try encodedNode(value)
    guard node.isKeyed, let encoded = node.structure as? [String: Any] else {
      throw EncodingError.invalidValue(
        value,
        .init(codingPath: [], debugDescription: "Top-level \(T.self) is not allowed.")
      )
    }
    return encoded
  }

  private func encodedNode<T: Encodable>(_ value: T) throws -> EncodedNode {
    let node = EncodedNode()
    try StructureEncoder(options: self, codingPath: [], node: node).encode(value)
    return node
  }
}
