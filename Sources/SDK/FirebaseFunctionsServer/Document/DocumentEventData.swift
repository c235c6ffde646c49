import BaseJSON
import DocumentCodec
import Foundation

/// The data of a document's event: `google.events.cloud.firestore.v1.DocumentEventData`, read as JSON for decoders.
///
/// Timestamps become seconds since 1970, bytes base 64, points objects of `latitude` and `longitude`, references their
/// names, and numbers that are not finite texts.
struct DocumentEventData {
  /// The document before and after the change, as JSON.
  var before: Data?
  var after: Data?

  init(_ data: Data) throws {
    let (after, before) = try Array(data).withUnsafeBytes { bytes in
      var reader = ProtobufReader(bytes)
      var found: [Int: JSONValue] = [:]
      while let field = try reader.nextField() {
        if field == 1 || field == 2 {
          found[field] = try Self.document(try reader.content())
        } else {
          try reader.skip()
        }
      }
      return (found[1], found[2])
    }
    self.after = after.map { Data($0.compactBytes) }
    self.before = before.map { Data($0.compactBytes) }
  }

  private static func document(_ bytes: UnsafeRawBufferPointer) throws -> JSONValue {
    .object(try entries(bytes, field: 2, depth: 0))
  }

  /// The entries of a `map<string, Value>` field.
  private static func entries(
    _ bytes: UnsafeRawBufferPointer,
    field: Int,
    depth: Int
  ) throws -> [JSONValue.Member] {
    var reader = ProtobufReader(bytes)
    var members: [JSONValue.Member] = []
    while let next = try reader.nextField() {
      guard next == field else {
        try reader.skip()
        continue
      }
      var entry = ProtobufReader(try reader.content())
      var (key, value) = ("", JSONValue.null)
      while let part = try entry.nextField() {
        switch part {
        case 1: key = try entry.string()
        case 2: value = try self.value(try entry.content(), depth: depth + 1)
        default: try entry.skip()
        }
      }
      members.append(.init(key, value))
    }
    return members
  }

  /// A `google.firestore.v1.Value`.
  private static func value(_ bytes: UnsafeRawBufferPointer, depth: Int) throws -> JSONValue {
    guard depth <= 64 else { throw CloudEvent.malformed }
    var reader = ProtobufReader(bytes)
    var value = JSONValue.null
    while let field = try reader.nextField() {
      switch field {
      case 1: value = .boolean(try reader.bool())
      case 2: value = .number("\(try reader.int64())")
      case 3: value = number(try reader.double())
      case 5: value = .string(try reader.string())
      case 6: value = .object(try entries(try reader.content(), field: 1, depth: depth))
      case 8: value = try point(try reader.content())
      case 9: value = .array(try elements(try reader.content(), depth: depth))
      case 10: value = try timestamp(try reader.content())
      case 17: value = .string(try reader.string())
      case 18: value = .string(Data(try reader.byteArray()).base64EncodedString())
      default: try reader.skip()
      }
    }
    return value
  }

  private static func number(_ double: Double) -> JSONValue {
    if double.isFinite { return .number("\(double)") }
    return .string(double.isNaN ? "NaN" : double < 0 ? "-Infinity" : "Infinity")
  }

  private static func elements(
    _ bytes: UnsafeRawBufferPointer,
    depth: Int
  ) throws -> [JSONValue] {
    var reader = ProtobufReader(bytes)
    var elements: [JSONValue] = []
    while let field = try reader.nextField() {
      if field == 1 {
        elements.append(try value(try reader.content(), depth: depth + 1))
      } else {
        try reader.skip()
      }
    }
    return elements
  }

  private static func point(_ bytes: UnsafeRawBufferPointer) throws -> JSONValue {
    var reader = ProtobufReader(bytes)
    var (latitude, longitude) = (0.0, 0.0)
    while let field = try reader.nextField() {
      switch field {
      case 1: latitude = try reader.double()
      case 2: longitude = try reader.double()
      default: try reader.skip()
      }
    }
    return .object([
      .init("latitude", number(latitude)), .init("longitude", number(longitude)),
    ])
  }

  private static func timestamp(_ bytes: UnsafeRawBufferPointer) throws -> JSONValue {
    var reader = ProtobufReader(bytes)
    var (seconds, nanos) = (Int64(0), Int32(0))
    while let field = try reader.nextField() {
      switch field {
      case 1: seconds = try reader.int64()
      case 2: nanos = try reader.int32()
      default: try reader.skip()
      }
    }
    return number(Double(seconds) + Double(nanos) / 1_000_000_000)
  }
}
