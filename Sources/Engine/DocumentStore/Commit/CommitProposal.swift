import FirestoreModel

/// Writes that a client, or the server on its behalf, wants applied at once.
package struct CommitProposal: Sendable {
  /// Applied in order, each seeing the ones before it; all or none.
  package var writes: [Write]
  /// The transaction that ends with this commit.
  package var transaction: TransactionID?
  /// Documents on which the decision to allow this commit rests; if one of them has changed, the
  /// commit fails with `StaleReadSet` and must be decided again.
  package var readSet: [ReadDependency]
  /// The `request.time` of the decision, and the value of all server timestamps: whole
  /// milliseconds, from `Database.requestTime()`.
  ///
  /// Nil takes one on the way.
  package var requestTime: Timestamp?
  /// Decides on the commit while it is prepared; what it looked at joins the read set.
  package var judge: CommitJudge?
  /// True if the judge is called inside the writer's group instead, where no data can become stale;
  /// all other commits wait during that call.
  package var isJudgedInGroup = false
  /// True for one of many commits that write documents in the order of their names.
  ///
  /// They are read in that order then, which costs less than a look for each.
  package var isBulk = false
  /// True if the outcome includes the documents as the commit leaves them.
  package var wantsDocuments: Bool
  /// Identifies this commit, so that it may be sent again.
  ///
  /// With a key under which a response is kept it is neither judged nor applied, but answered as the
  /// first time. Answers are kept for the retention.
  package var idempotencyKey: IdempotencyKey?
  /// The principal that followers of the commit learn of.
  package var author: CommitAuthor
  /// The version at which the copy or restore began that makes the writes: the database that it fills takes no others meanwhile.
  ///
  /// Nil for all other writes.
  package var fill: CommitVersion?

  /// A commit of these writes.
  package init(
    writes: [Write],
    transaction: TransactionID? = nil,
    readSet: [ReadDependency] = [],
    requestTime: Timestamp? = nil,
    judge: CommitJudge? = nil,
    wantsDocuments: Bool = false,
    idempotencyKey: IdempotencyKey? = nil,
    author: CommitAuthor = .system
  ) {
    self.writes = writes
    self.transaction = transaction
    self.readSet = readSet
    self.requestTime = requestTime
    self.judge = judge
    self.wantsDocuments = wantsDocuments
    self.idempotencyKey = idempotencyKey
    self.author = author
  }
}

extension CommitProposal {
  private static let smallWrites = 10
  private static let smallBytes = 32 << 10

  /// True if preparing it takes so little that any thread may do it.
  var isSmall: Bool {
    writes.count <= Self.smallWrites && fieldBytes <= Self.smallBytes
  }

  /// Bytes of the fields that it writes.
  var fieldBytes: Int {
    var bytes = 0
    for write in writes {
      if case .update(let fields, _) = write.operation { bytes += fields.bytes.count }
    }
    return bytes
  }
}

/// A document that was read and the version that it had.
package struct ReadDependency: Sendable, Hashable {
  /// The path of the document that was read, in the commit's database.
  package let path: ResourcePath
  /// The update version seen; zero when the document was missing.
  package let version: CommitVersion

  /// A document seen at a version.
  package init(path: ResourcePath, version: CommitVersion) {
    self.path = path
    self.version = version
  }
}

/// The documents that a decision rested on have changed: take it again, then commit again.
package struct StaleReadSet: Error, Sendable {}

/// A commit that is durable.
package struct CommitOutcome: Sendable, Hashable {
  /// The commit's version; it is the update time of the documents that it changed.
  package let version: CommitVersion
  /// One a write, in their order.
  package let results: [WriteResult]
  /// If they were wanted, the documents that the writes name as the commit leaves them, each once,
  /// in the order of the writes; nil for one that does not exist.
  package let documents: [StoredDocument?]

  /// Makes the outcome of a commit.
  package init(
    version: CommitVersion,
    results: [WriteResult],
    documents: [StoredDocument?] = []
  ) {
    self.version = version
    self.results = results
    self.documents = documents
  }
}

/// A durable commit as observers see it.
package struct PublishedCommit: Sendable {
  /// One document before and after.
  package struct Change: Sendable {
    /// The document's path in its database.
    package let path: ResourcePath
    /// The document before the commit; nil if there was none.
    package let old: StoredDocument?
    /// The document after the commit; nil if the commit deleted it.
    package let new: StoredDocument?
  }

  /// The database that was written.
  package let database: DatabaseID
  /// The database's life that was written, which distinguishes a cleared database from its
  /// successor.
  package let incarnation: Incarnation
  /// The commit's version; later commits have greater ones.
  package let version: CommitVersion
  /// Every changed document once, in the order of the writes.
  package let changes: [Change]
}
