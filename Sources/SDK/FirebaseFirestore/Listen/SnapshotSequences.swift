import FirestoreSync
import Foundation

extension Query {
  /// The results, now and whenever they change; see ``QuerySnapshotsSequence``.
  public var snapshots: QuerySnapshotsSequence { snapshots(includeMetadataChanges: false) }

  /// The results, now and whenever they or, if asked for, their metadata change.
  public func snapshots(includeMetadataChanges: Bool) -> QuerySnapshotsSequence {
    QuerySnapshotsSequence(self, includeMetadataChanges: includeMetadataChanges)
  }

  /// A query's snapshots as a sequence.
  ///
  /// Each loop has a listener of its own, from its start to its end; an error of the listener ends the loop, and so does the end of the client. A loop that is
  /// too slow gets several snapshots as one, whose changes are those of all.
  public struct QuerySnapshotsSequence: AsyncSequence, Sendable {
    /// The type of the loop's elements.
    public typealias Element = QuerySnapshot
    /// The type of the error that ends the loop early.
    public typealias Failure = any Error

    private let query: Query
    private let includeMetadataChanges: Bool

    /// The snapshots of a query.
    public init(_ query: Query, includeMetadataChanges: Bool = false) {
      self.query = query
      self.includeMetadataChanges = includeMetadataChanges
    }

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator {
      let options = SnapshotListenOptions()
        .withIncludeMetadataChanges(includeMetadataChanges)
      let feed = SnapshotFeed<QuerySnapshot> { earlier, later in
        QuerySnapshot(later.query, later.snapshot.merged(after: earlier.snapshot))
      }
      feed.follow(
        query.listen(options, ended: { [weak feed] in feed?.finish() }) { [weak feed] result, _ in
          feed?.take(result)
        }
      )
      return Iterator(feed: feed)
    }

    /// One loop over the snapshots.
    public struct Iterator: AsyncIteratorProtocol {
      /// The type of the loop's elements.
      public typealias Element = QuerySnapshot
      /// The type of the error that ends the loop early.
      public typealias Failure = any Error

      fileprivate let feed: SnapshotFeed<QuerySnapshot>

      /// The next snapshot; nil after the task was cancelled or the client has ended.
      public mutating func next() async throws -> QuerySnapshot? { try await feed.next() }
    }
  }
}

extension DocumentReference {
  /// The document, now and whenever it changes; see ``DocumentSnapshotsSequence``.
  public var snapshots: DocumentSnapshotsSequence { snapshots(includeMetadataChanges: false) }

  /// The document, now and whenever it or, if asked for, its metadata changes.
  public func snapshots(includeMetadataChanges: Bool) -> DocumentSnapshotsSequence {
    DocumentSnapshotsSequence(self, includeMetadataChanges: includeMetadataChanges)
  }

  /// A document's snapshots as a sequence.
  ///
  /// Each loop has a listener of its own, from its start to its end; an error of the listener ends the loop, and so does the end of the client. A loop that is
  /// too slow misses snapshots, never the newest.
  public struct DocumentSnapshotsSequence: AsyncSequence, Sendable {
    /// The type of the loop's elements.
    public typealias Element = DocumentSnapshot
    /// The type of the error that ends the loop early.
    public typealias Failure = any Error

    private let document: DocumentReference
    private let includeMetadataChanges: Bool

    /// The snapshots of a document.
    public init(_ documentReference: DocumentReference, includeMetadataChanges: Bool = false) {
      document = documentReference
      self.includeMetadataChanges = includeMetadataChanges
    }

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator {
      let options = SnapshotListenOptions()
        .withIncludeMetadataChanges(includeMetadataChanges)
      let feed = SnapshotFeed<DocumentSnapshot> { _, later in later }
      feed.follow(
        document.listen(options, ended: { [weak feed] in feed?.finish() }) {
          [weak feed] result, _ in
          feed?.take(result)
        }
      )
      return Iterator(feed: feed)
    }

    /// One loop over the snapshots.
    public struct Iterator: AsyncIteratorProtocol {
      /// The type of the loop's elements.
      public typealias Element = DocumentSnapshot
      /// The type of the error that ends the loop early.
      public typealias Failure = any Error

      fileprivate let feed: SnapshotFeed<DocumentSnapshot>

      /// The next snapshot; nil after the task was cancelled or the client has ended.
      public mutating func next() async throws -> DocumentSnapshot? { try await feed.next() }
    }
  }
}
