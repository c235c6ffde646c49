import DocumentCodec
import FirestoreModel

/// A document as the client knows it, immutable.
///
/// It is either what the server said, or that with the client's own writes applied (`mutations`).
package final class CachedDocument: Sendable {
  /// The knowledge of the document's content.
  package enum Content: Sendable, Hashable {
    /// Neither the server nor a local write ever had any data.
    case unseen
    /// The document exists with these fields.
    case found(DocumentFields)
    /// The document does not exist.
    case missing
    /// The server acknowledged a write to it, but its state before is not known here.
    case unknown
  }

  /// The relation of the content to the client's own writes.
  package enum Mutations: Sendable, Hashable {
    case none
    /// Writes that the server has not acknowledged are part of the content.
    case local
    /// The content is an acknowledged write's that watch has not delivered yet.
    case committed
  }

  /// The document's database and path.
  package let name: DocumentName
  /// The knowledge of the document's content, with local writes applied.
  package let content: Content
  /// The update time; zero where local writes are part of the content.
  package let version: CommitVersion
  /// The time at which the server created the document; zero where it is not known.
  package let createTime: CommitVersion
  /// The snapshot with which the state came from the server; zero for local states.
  package let readTime: CommitVersion
  /// The share of the client's own writes in the content.
  package let mutations: Mutations

  /// A document in a state.
  package init(
    name: DocumentName,
    content: Content,
    version: CommitVersion = .zero,
    createTime: CommitVersion = .zero,
    readTime: CommitVersion = .zero,
    mutations: Mutations = .none
  ) {
    self.name = name
    self.content = content
    self.version = version
    self.createTime = createTime
    self.readTime = readTime
    self.mutations = mutations
  }

  /// The document's path, its key in every table of a client.
  package var path: ResourcePath { name.path }

  /// The fields; nil where the document does not exist or its content is not known.
  package var fields: DocumentFields? {
    if case .found(let fields) = content { fields } else { nil }
  }

  /// True if the document is known to exist.
  package var isFound: Bool { fields != nil }
  /// True if writes that the server has not acknowledged are part of the content.
  package var hasLocalMutations: Bool { mutations == .local }
  /// True if the content is an acknowledged write's and watch has not delivered it.
  package var hasCommittedMutations: Bool { mutations == .committed }
  /// True if it has local or committed mutations: snapshots report it as pending.
  package var hasPendingWrites: Bool { mutations != .none }

  /// The same state as read with a snapshot.
  func read(at readTime: CommitVersion) -> CachedDocument {
    if readTime == self.readTime { return self }
    return CachedDocument(
      name: name,
      content: content,
      version: version,
      createTime: createTime,
      readTime: readTime,
      mutations: mutations
    )
  }

  /// The state after a local write: without a version, marked as local.
  func mutated(_ content: Content) -> CachedDocument {
    CachedDocument(
      name: name,
      content: content,
      createTime: createTime,
      readTime: readTime,
      mutations: .local
    )
  }

  /// The state after an acknowledged write.
  func committed(_ content: Content, at version: CommitVersion) -> CachedDocument {
    CachedDocument(
      name: name,
      content: content,
      version: version,
      createTime: createTime,
      readTime: version,
      mutations: .committed
    )
  }

  /// Returns true if both have the same content, with any versions.
  func hasSameContent(as other: CachedDocument) -> Bool {
    switch (content, other.content) {
    case (.found(let left), .found(let right)): left.isIdentical(to: right)
    default: content == other.content
    }
  }
}

extension CachedDocument: QueryDocument {
  /// The field's value as queries see it: a pending server timestamp is later than every real one.
  package func value(at path: FieldPath) -> Value? {
    guard let value = fields?.value(at: path) else { return nil }
    return hasLocalMutations ? PendingServerTimestamp.ordered(value) : value
  }
}
