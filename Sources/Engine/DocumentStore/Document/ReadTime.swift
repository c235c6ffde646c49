import FirestoreModel

/// The version at which a read looks.
package enum ReadTime: Sendable, Hashable {
  /// The newest durable state.
  case now
  /// The state as of that version, inside the retention.
  case at(CommitVersion)
}
