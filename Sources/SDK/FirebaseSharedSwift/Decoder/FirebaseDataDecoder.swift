import Foundation

/// Decodes values from dictionaries, arrays and leaves, the inverse of ``FirebaseDataEncoder``.
///
/// Leaves may be native numbers or `NSNumber`s. One decoder serves one thread at a time.
public class FirebaseDataDecoder {
  /// The decoding of dates.
  public enum DateDecodingStrategy {
    /// As `Date` decodes itself.
    case deferredToDate
    /// From seconds since 1970.
    case secondsSince1970
    /// From milliseconds since 1970.
    case millisecondsSince1970
    /// From text of ISO 8601.
    case iso8601
    /// From a formatter's text.
    case formatted(DateFormatter)
    /// As a closure decodes it.
    case custom((any Decoder) throws -> Date)
  }

  /// The decoding of data.
  public enum DataDecodingStrategy {
    /// As `Data` decodes itself.
    case deferredToData
    /// From text in base 64.
    case base64
    /// As a closure decodes it.
    case custom((any Decoder) throws -> Data)
  }

  /// The decoding of numbers that are not finite.
  public enum NonConformingFloatDecodingStrategy {
    /// Only from numbers.
    case `throw`
    /// From these texts too.
    case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
  }

  /// The decoding of keys.
  public enum KeyDecodingStrategy {
    /// As they are.
    case useDefaultKeys
    /// From snake case: `one_two` becomes `oneTwo`.
    case convertFromSnakeCase
    /// As a closure says for a key with the keys around it.
    case custom(([any CodingKey]) -> any CodingKey)
  }

  /// The decoding of dates.
  public var dateDecodingStrategy = DateDecodingStrategy.deferredToDate
  /// The decoding of data.
  public var dataDecodingStrategy = DataDecodingStrategy.base64
  /// The decoding of numbers that are not finite.
  public var nonConformingFloatDecodingStrategy = NonConformingFloatDecodingStrategy.throw
  /// The decoding of keys; keys of dictionaries stay as they are.
  public var keyDecodingStrategy = KeyDecodingStrategy.useDefaultKeys
  /// The resolver of values that stay the objects that they are.
  public var passthroughTypeResolver: any StructureCodingPassthroughTypeResolver.Type =
    NoPassthroughTypes.self
  /// The options for the values' own decoding.
  public var userInfo: [CodingUserInfoKey: Any] = [:]

  /// A decoder with the strategies of JSON.
  public init() {}

  /// Decodes a value.
  public func decode<T: Decodable>(_ t: T.Type, from structure: Any) throws -> T {
    let decoder = StructureDecoder(
      options: self,
      userInfo: userInfo,
      codingPath: [],
      value: structure
    )
    return try decoder.decode(t)
  }
}
