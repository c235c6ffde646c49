import FirestoreModel

/// A client's request to listen.
package struct TargetRequest: Sendable {
  /// The documents of a target.
  package enum Subject: Sendable, Hashable {
    case query(Query)
    case documents([ResourcePath])
  }

  /// The point at which the client left off.
  package enum Resumption: Sendable, Hashable {
    case token([UInt8])
    case readTime(CommitVersion)
  }

  /// Zero leaves the choice to the server.
  package let id: Int32
  /// The query or the documents to listen to.
  package let subject: Subject
  /// True if the target ends once it is consistent.
  package let once: Bool
  /// Nil starts from nothing.
  package let resumption: Resumption?
  /// The number of documents of the target that the client holds; nil if it does not say.
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
