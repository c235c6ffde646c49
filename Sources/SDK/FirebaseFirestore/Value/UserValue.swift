import BaseText
import FirebaseCore
import FirestoreModel
import FirestoreSync
import Foundation

/// Values of apps as Firestore's, and back.
enum UserValue {
  /// The reason why a value of an app cannot be stored.
  struct Problem: Error, Hashable {
    let message: String
  }

  /// The operands of an array transform.
  static func elements(_ elements: [Any], of function: String) throws -> [Value] {
    do {
      return try elements.map(element)
    } catch {
      throw Problem(message: "\(misuseText(error)) (in \(function))")
    }
  }

  /// A value without field values in it; operands of filters may have arrays in an array.
  static func value(_ value: Any, allowingNestedArrays: Bool) throws -> Value {
    guard allowingNestedArrays, let elements = value as? [Any] else { return try self.value(value) }
    return .array(try elements.map { try self.value($0) })
  }

  /// A value without field values in it.
  static func value(_ value: Any) throws -> Value {
    switch value {
    case is NSNull: .null
    case let nothing as any Absent where nothing.isAbsent: .null
    case let text as String: .string(Text(text))
    case let number as NSNumber: try self.value(number)
    case let timestamp as FirebaseCore.Timestamp: try self.value(timestamp)
    case let date as Date: try self.value(date)
    case let data as Data: .bytes([UInt8](data))
    case let point as GeoPoint:
      .geoPoint(FirestoreModel.GeoPoint(latitude: point.latitude, longitude: point.longitude))
    case let reference as DocumentReference: .reference(reference.name)
    case let vector as VectorValue: .vector(vector.array)
    case let elements as [Any]: .array(try elements.map(element))
    case let members as [String: Any]: try mapOrBSON(members)
    case let value as FieldValue:
      throw Problem(message: "\(value) can only be used as the value of a field")
    default: throw Problem(message: "Unsupported type: \(type(of: value))")
    }
  }

  private static func element(_ value: Any) throws -> Value {
    if value is [Any] { throw Problem(message: "Nested arrays are not supported") }
    return try self.value(value)
  }

  /// A map, or the value of a BSON type that it stands for.
  private static func mapOrBSON(_ members: [String: Any]) throws -> Value {
    let map = try map(members)
    do {
      return try BSONValue.value(of: map) ?? .map(map)
    } catch {
      throw Problem(message: error.message)
    }
  }

  private static func map(_ members: [String: Any]) throws -> MapValue {
    MapValue(
      try members.map { key, value in
        if key.isEmpty { throw Problem(message: "Document fields must not be empty") }
        return MapValue.Entry(key: Text(key), value: try self.value(value))
      }
    )
  }

  /// A value that has no other values in it; nil for those that have.
  static func scalar(_ value: Any) throws -> Value? {
    switch value {
    case is [Any], is [String: Any], is FieldValue: nil
    default: try self.value(value)
    }
  }

  private static func value(_ number: NSNumber) throws -> Value {
    if number.isBoolean { return .boolean(number.boolValue) }
    if number.isFloating { return .double(number.doubleValue) }
    guard
      UInt8(bitPattern: number.objCType.pointee) != UInt8(ascii: "Q")
        || number.uint64Value <= UInt64(Int64.max)
    else { throw Problem(message: "NSNumber (\(number)) is too large") }
    return .integer(number.int64Value)
  }

  private static func value(_ date: Date) throws -> Value {
    guard let timestamp = FirebaseCore.Timestamp.checked(date: date) else {
      throw Problem(message: "Timestamp seconds out of range: \(date.timeIntervalSince1970)")
    }
    return try value(timestamp)
  }

  private static func value(_ timestamp: FirebaseCore.Timestamp) throws -> Value {
    let instant = FirestoreModel.Timestamp(
      seconds: timestamp.seconds,
      nanos: timestamp.nanoseconds
    )
    guard let instant else { throw Problem(message: "\(timestamp) is out of range") }
    return .timestamp(instant.truncatedToMicroseconds)
  }

  // MARK: Back

  /// The settings for reading stored values.
  struct Reading {
    let firestore: Firestore
    let behavior: ServerTimestampBehavior

    init(_ firestore: Firestore, _ behavior: ServerTimestampBehavior = .none) {
      self.firestore = firestore
      self.behavior = behavior
    }
  }

  /// A stored value as apps see it: numbers and truth values as `NSNumber`, null as `NSNull`.
  static func object(_ value: Value, _ reading: Reading) -> Any {
    switch value {
    case .null: NSNull()
    case .boolean(let flag): NSNumber(value: flag)
    case .integer(let number): NSNumber(value: number)
    case .double(let number): NSNumber(value: number)
    case .timestamp(let instant): object(instant)
    case .string(let text): text.string
    case .bytes(let bytes): Data(bytes)
    case .reference(let name): DocumentReference(reading.firestore, name: name)
    case .geoPoint(let point): GeoPoint(latitude: point.latitude, longitude: point.longitude)
    case .array(let elements): elements.map { object($0, reading) }
    case .map(let map):
      if let pending = PendingServerTimestamp(value) {
        object(reading.behavior.value(of: pending), reading)
      } else {
        members(map, reading)
      }
    case .vector(let numbers): VectorValue(numbers)
    case .bson(let value): members(value.map, reading)
    }
  }

  static func object(_ instant: FirestoreModel.Timestamp) -> FirebaseCore.Timestamp {
    FirebaseCore.Timestamp(seconds: instant.seconds, nanoseconds: instant.nanos)
  }

  /// A stored map as apps see it.
  static func members(_ map: MapValue, _ reading: Reading) -> [String: Any] {
    Dictionary(
      map.entries.map { ($0.key.string, object($0.value, reading)) },
      uniquingKeysWith: { first, _ in first }
    )
  }
}

/// An optional in disguise.
protocol Absent {
  /// True if there is nothing in it.
  var isAbsent: Bool { get }
}

extension Optional: Absent {
  var isAbsent: Bool {
    if case .none = self { true } else { false }
  }
}
