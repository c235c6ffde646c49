import FirebaseCore
import Foundation

/// A type that a ``ServerTimestamp`` can hold.
public protocol ServerTimestampWrappable {
  /// The value of a timestamp.
  static func wrap(_ timestamp: FirebaseCore.Timestamp) throws -> Self
  /// The timestamp of a value.
  static func unwrap(_ value: Self) throws -> FirebaseCore.Timestamp
}

extension Date: ServerTimestampWrappable {
  /// The timestamp as a date.
  public static func wrap(_ timestamp: FirebaseCore.Timestamp) throws -> Date {
    timestamp.dateValue()
  }

  /// The date as a timestamp.
  public static func unwrap(_ value: Date) throws -> FirebaseCore.Timestamp {
    try FirebaseCore.Timestamp.encodable(value)
  }
}

extension FirebaseCore.Timestamp: ServerTimestampWrappable {
  /// The timestamp itself.
  public static func wrap(_ timestamp: FirebaseCore.Timestamp) throws -> Self {
    guard let same = timestamp as? Self else {
      throw FirestoreDecodingError.decodingIsNotSupported("A timestamp of another class.")
    }
    return same
  }

  /// The timestamp itself.
  public static func unwrap(_ value: FirebaseCore.Timestamp) throws -> FirebaseCore.Timestamp {
    value
  }
}

/// A time that the server sets when the value is nil as it is written.
///
/// A pending one is read as nil; a missing field is an error.
@propertyWrapper
public struct ServerTimestamp<Value: ServerTimestampWrappable & Codable>: Codable {
  /// The time; nil before the server set it.
  public var wrappedValue: Value?

  /// Wraps a time.
  public init(wrappedValue value: Value?) { wrappedValue = value }

  /// Reads a timestamp or null.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    wrappedValue =
      container.decodeNil()
      ? nil : try Value.wrap(container.decode(FirebaseCore.Timestamp.self))
  }

  /// Writes the timestamp, or asks the server for one.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let value = wrappedValue {
      try container.encode(Value.unwrap(value))
    } else {
      try container.encode(FieldValue.serverTimestamp())
    }
  }
}

extension ServerTimestamp: Equatable where Value: Equatable {}
extension ServerTimestamp: Hashable where Value: Hashable {}
extension ServerTimestamp: Sendable where Value: Sendable {}
