import FirestoreModel
import FirestoreSync

/// The treatment of a time that the server has not set yet.
public enum ServerTimestampBehavior: Int, Sendable {
  /// As null.
  case none = 0
  /// As this machine's time of the write.
  case estimate = 1
  /// As what the field was before, or null.
  case previous = 2

  /// Returns the value as which a pending time is read.
  func value(of pending: PendingServerTimestamp) -> Value {
    switch self {
    case .none: .null
    case .estimate: .timestamp(pending.localWriteTime)
    case .previous: pending.previousValue ?? .null
    }
  }
}
