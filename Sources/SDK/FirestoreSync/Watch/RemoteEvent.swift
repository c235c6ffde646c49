import FirestoreModel

/// The changes to one target between two snapshots of the server.
struct TargetChange: Sendable, Equatable {
  /// The token with which the target can be resumed; empty if the server gave none.
  var resumeToken: ResumeToken = []
  /// True if the target has caught up with the server.
  var isCurrent = false
  var added: Set<ResourcePath> = []
  var modified: Set<ResourcePath> = []
  var removed: Set<ResourcePath> = []

  var hasDocumentChanges: Bool { !(added.isEmpty && modified.isEmpty && removed.isEmpty) }
}

/// Everything that changed between two snapshots of the server, for all targets of the stream.
struct RemoteEvent: Sendable {
  /// The later snapshot; zero where the event is made up by the client.
  var version: CommitVersion
  var targetChanges: [TargetID: TargetChange] = [:]
  /// The targets to request again, because their documents differ from the server's.
  var mismatches: [TargetID: TargetData.Purpose] = [:]
  var documents: [ResourcePath: CachedDocument] = [:]
  /// The documents among them that only limbo targets named.
  var resolvedLimbo: Set<ResourcePath> = []
}
