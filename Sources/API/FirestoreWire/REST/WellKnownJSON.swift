import BaseJSON
import DocumentCodec

/// Google's messages that have a JSON form of their own, as far as requests have them.
enum WellKnownJSON: String {
  case timestamp = "google.protobuf.Timestamp"
  case duration = "google.protobuf.Duration"
  case int32Value = "google.protobuf.Int32Value"
  case int64Value = "google.protobuf.Int64Value"
  case doubleValue = "google.protobuf.DoubleValue"

  /// The enum whose one value is JSON's null.
  static let nullValue = "google.protobuf.NullValue"
  /// The message for which null is a value; no request has one.
  static let value = "google.protobuf.Value"

  /// The message without fields.
  static let empty = "google.protobuf.Empty"

  /// The message of that name if it has a JSON form of its own.
  init?(_ name: String) { self.init(rawValue: name) }

  /// Writes the message's fields; false where the value is none of its.
  func encode(_ json: JSONValue, into writer: inout ProtobufWriter) -> Bool {
    switch self {
    case .timestamp:
      guard case .string(let text) = json, let instant = TimestampText.parse(text)
      else { return false }
      writer.timestampFields(seconds: instant.seconds, nanos: instant.nanos)
      return true
    case .duration:
      guard case .string(let text) = json, let (seconds, nanos) = DurationText.parse(text)
      else { return false }
      writer.timestampFields(seconds: seconds, nanos: nanos)
      return true
    case .int32Value:
      let range = Int64(Int32.min)...Int64(Int32.max)
      return write(JSONScalar.integer(json, within: range), &writer)
    case .int64Value:
      return write(JSONScalar.integer(json, within: Int64.min...Int64.max), &writer)
    case .doubleValue: return write(JSONScalar.double(json), &writer)
    }
  }

  private func write(_ scalar: JSONScalar?, _ writer: inout ProtobufWriter) -> Bool {
    guard let scalar else { return false }
    if !scalar.isDefault { scalar.write(1, to: &writer) }
    return true
  }
}

extension ProtobufWriter {
  fileprivate mutating func timestampFields(seconds: Int64, nanos: Int32) {
    if seconds != 0 { int64(1, seconds) }
    if nanos != 0 { int64(2, Int64(nanos)) }
  }
}
