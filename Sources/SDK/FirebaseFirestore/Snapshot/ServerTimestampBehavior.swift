import FirestoreModel

/// How a time that the server has not set yet is read.
public enum ServerTimestampBehavior: Int, Sendable {
  /// As null.
  case none = 0
  /// As this machine's time of the write.
  case estimate = 1
  /// As what the field was before, or null.
  case previous = 2
}

/// A field whose time the server has not set yet.
package struct PendingServerTimestamp: Sendable, Hashable {
  package let field: FirestoreModel.FieldPath
  /// This machine's time of the write.
  package let estimate: FirestoreModel.Timestamp
  /// What the field was before; nil where it was not there.
  package let previous: Value?

  /// A field with what may be read in its place.
  package init(
    field: FirestoreModel.FieldPath,
    estimate: FirestoreModel.Timestamp,
    previous: Value?
  ) {
    self.field = field
    self.estimate = estimate
    self.previous = previous
  }

  func value(_ behavior: ServerTimestampBehavior) -> Value {
    switch behavior {
    case .none: .null
    case .estimate: .timestamp(estimate)
    case .previous: previous ?? .null
    }
  }
}
