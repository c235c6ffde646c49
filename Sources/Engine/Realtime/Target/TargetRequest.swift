import FirestoreModel

/// What a client asks to listen to.
package struct TargetRequest: Sendable {
  /// The documents of a target.
  package enum Subject: Sendable, Hashable {
    case query(Query)
    case documents([ResourcePath])
  }

  /// Where the client left off.
  package enum Resumption: Sendable, Hashable {
    case token([UInt8])
    case readTime(CommitVersion)
  }

  /// Zero leaves the choice to the server.
  package let id: Int32
  /// The query or the documents to listen to.
  package let subject: Subject
  /// Whether the target ends once it is consistent.
  package let once: Bool
  /// Nil starts from nothing.
  package let resumption: Resumption?
  /// How many documents the client holds of the target; nil where it does not say.
  package let expectedCount: Int?

  /// A wish to listen.
  package init(
    id: Int32,
    subject: Subject,
    once: Bool = false,
    resumption: Resumption? = nil,
    expectedCount: Int? = nil
  ) {
    self.id = id
    self.subject = subject
    self.once = once
    self.resumption = resumption
    self.expectedCount = expectedCount
  }
}
