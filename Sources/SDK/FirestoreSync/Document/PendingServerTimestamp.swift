import BaseText
import FirestoreModel

/// The value of a field that a local write sets to the server's time, until the server has sent it.
///
/// In documents it is a map `{__type__: "server_timestamp", __local_write_time__: timestamp,
/// __previous_value__: value}`, the last entry only where the field had a value.
package struct PendingServerTimestamp: Sendable, Hashable {
  /// The client's clock when the write was made.
  package let localWriteTime: Timestamp
  /// The field's value before the first pending server timestamp; nil where it had none.
  package let previousValue: Value?

  private static let typeKey: Text = "__type__"
  private static let timeKey: Text = "__local_write_time__"
  private static let previousKey: Text = "__previous_value__"
  private static let type: Text = "server_timestamp"

  /// A pending timestamp over what the field held, which may be one itself.
  package init(localWriteTime: Timestamp, replacing value: Value?) {
    self.localWriteTime = localWriteTime
    if let value, let pending = PendingServerTimestamp(value) {
      previousValue = pending.previousValue
    } else {
      previousValue = value
    }
  }

  /// Reads a document's value; nil for every other value.
  package init?(_ value: Value) {
    guard case .map(let map) = value, case .string(Self.type)? = map[Self.typeKey],
      case .timestamp(let time)? = map[Self.timeKey]
    else { return nil }
    localWriteTime = time
    previousValue = map[Self.previousKey]
  }

  /// The map that stands in the document.
  package var value: Value {
    var map = MapValue()
    map[Self.typeKey] = .string(Self.type)
    map[Self.timeKey] = .timestamp(localWriteTime)
    map[Self.previousKey] = previousValue
    return .map(map)
  }

  /// A value with every pending timestamp in it replaced by an instant behind all real ones.
  ///
  /// Pending ones are ordered by their local time. The instants are the last 142 years that
  /// Firestore has, up to the end of 9999.
  static func ordered(_ value: Value) -> Value {
    switch value {
    case .map(let map):
      if let pending = PendingServerTimestamp(value) { return .timestamp(pending.orderedInstant) }
      return .map(
        MapValue(map.entries.map { MapValue.Entry(key: $0.key, value: ordered($0.value)) })
      )
    case .array(let elements): return .array(elements.map(ordered))
    default: return value
    }
  }

  private var orderedInstant: Timestamp {
    let span: Int64 = 1 << 52
    let end = Timestamp.maximumSeconds * 1_000_000 + 999_999
    let offset = min(max(localWriteTime.microseconds, 0), span)
    return Timestamp(microseconds: end - span + offset)
  }
}
