import Foundation

/// An optional whose nil is stored as null, instead of not at all.
@propertyWrapper
public struct ExplicitNull<Value> {
  /// The value; nil is null.
  public var wrappedValue: Value?

  /// Wraps a value.
  public init(wrappedValue value: Value?) { wrappedValue = value }
}

extension ExplicitNull: Encodable where Value: Encodable {
  /// Writes the value or null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let value = wrappedValue { try container.encode(value) } else { try container.encodeNil() }
  }
}

extension ExplicitNull: Decodable where Value: Decodable {
  /// Reads the value or null; a missing field is an error.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
  }
}

extension ExplicitNull: Equatable where Value: Equatable {}
extension ExplicitNull: Hashable where Value: Hashable {}
extension ExplicitNull: Sendable where Value: Sendable {}
