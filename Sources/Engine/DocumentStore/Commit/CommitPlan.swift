import FirestoreModel

/// The effect of a commit, computed against certain base records.
///
/// It holds as long as the bases, the index definitions and the request time are what they were;
/// `CommitResolver` checks that inside the group. The commit's own version is not part of it.
struct CommitPlan: Sendable {
  /// Every document that the writes name, once, in the order of the writes.
  var documents: [PlannedDocument] = []
  /// One a write.
  var results: [PlannedResult] = []
  /// One a write; only for commits that are judged.
  var steps: [PlannedStep] = []
  /// The index definitions that the entries were made with.
  var indexGeneration: UInt64
  /// The moment at which the bases were read; nil inside a group, in which no other writes happen.
  var basis: RecentWrites.Moment?
  /// The value of the server timestamps; nil when no write asked for it.
  var requestTime: Timestamp?
  /// True if expected index entries were missing; only the group knows for certain.
  var missedEntries = false
}

/// The effect of one write.
struct PlannedStep: Sendable {
  /// The document's index among the plan's documents.
  let document: Int
  /// The fields that it leaves; nil where there is no document then.
  let fields: DocumentFields?
}

/// One document of a plan.
struct PlannedDocument: Sendable {
  /// The change to the document.
  enum Outcome: Sendable {
    /// Only judged, or written as it was.
    case unchanged
    /// Created, or with `createTime` of the base, overwritten.
    case put(DocumentFields, createTime: CommitVersion?)
    case deleted
  }

  let path: ResourcePath
  let key: DocumentKey
  /// The record that the plan starts from; nil when there was none.
  let base: StoredDocument?
  var outcome: Outcome
  /// Index entries that the commit begins.
  var added: [IndexEntry] = []
  /// Index entries that the commit ends.
  var ended: [EndedEntry] = []

  /// True if the commit deletes the document and makes another one of its name.
  var isMadeAgain: Bool {
    if case .put(_, createTime: nil) = outcome { return base != nil }
    return false
  }

  /// The record that a commit of that version leaves; nil when there is none.
  func record(at version: CommitVersion) -> StoredDocument? {
    switch outcome {
    case .unchanged: return base
    case .deleted: return nil
    case .put(let fields, let createTime):
      return StoredDocument(
        createTime: createTime ?? version,
        updateTime: version,
        fields: fields
      )
    }
  }

  /// The kind of change; nil for none.
  var changeKind: ChangeRecord.Kind? {
    switch outcome {
    case .unchanged: nil
    case .put: base == nil ? .created : .updated
    case .deleted: base == nil ? nil : .deleted
    }
  }
}

/// An index entry that a commit ends.
struct EndedEntry: Sendable {
  let entry: IndexEntry
  /// The version that wrote it.
  let from: CommitVersion
  /// True if the same key continues with other tags.
  let isReplaced: Bool
}

/// The result that a write's author receives, before the commit's version is known.
struct PlannedResult: Sendable {
  /// The update time to report.
  enum UpdateTime: Sendable {
    case none
    case stored(CommitVersion)
    case thisCommit
  }

  var updateTime: UpdateTime
  var transformResults: [Value] = []

  /// The result of a commit at that version.
  func result(at version: CommitVersion) -> WriteResult {
    let time: CommitVersion? =
      switch updateTime {
      case .none: nil
      case .stored(let stored): stored
      case .thisCommit: version
      }
    return WriteResult(updateTime: time, transformResults: transformResults)
  }
}
