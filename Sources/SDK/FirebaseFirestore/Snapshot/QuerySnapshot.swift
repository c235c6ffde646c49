import FirestoreModel
import FirestoreSync
import Foundation
import Locking

/// A query's results at one time.
public final class QuerySnapshot: NSObject, Sendable {
  /// The query.
  public let query: Query
  /// The certainty of this snapshot.
  public let metadata: SnapshotMetadata
  let snapshot: ViewSnapshot
  /// Created on request.
  private let made = Lock<[QueryDocumentSnapshot]?>(nil)

  init(_ query: Query, _ snapshot: ViewSnapshot) {
    self.query = query
    self.snapshot = snapshot
    metadata = SnapshotMetadata(
      hasPendingWrites: snapshot.hasPendingWrites,
      isFromCache: snapshot.isFromCache
    )
  }

  /// True if there are no documents.
  public var isEmpty: Bool { snapshot.documents.isEmpty }

  /// The number of documents.
  public var count: Int { snapshot.documents.count }

  /// The documents in the query's order.
  public var documents: [QueryDocumentSnapshot] {
    made.withLock { made in
      if let made { return made }
      let documents = snapshot.documents.map(self.document)
      made = documents
      return documents
    }
  }

  private func document(_ document: CachedDocument) -> QueryDocumentSnapshot {
    QueryDocumentSnapshot(
      DocumentReference(query.firestore, name: document.name),
      document,
      SnapshotMetadata(
        hasPendingWrites: snapshot.pending.contains(document.path),
        isFromCache: snapshot.isFromCache
      )
    )
  }

  /// The changes since the listener's last snapshot: removed documents first, then added, then
  /// modified ones.
  public var documentChanges: [DocumentChange] { documentChanges(includeMetadataChanges: false) }

  /// Throws `invalidArgument` where ``documentChanges(includeMetadataChanges:)`` would trap.
  public func check(includeMetadataChanges: Bool) throws {
    try require(
      !includeMetadataChanges || !snapshot.excludesMetadataChanges,
      "To include metadata changes with your document changes, you must call "
        + "addSnapshotListener(includeMetadataChanges:true)."
    )
  }

  /// Returns the changes since the listener's last snapshot, optionally with documents of which
  /// only the metadata changed.
  ///
  /// Traps for a listener that leaves those out.
  public func documentChanges(includeMetadataChanges: Bool) -> [DocumentChange] {
    trapping { try check(includeMetadataChanges: includeMetadataChanges) }
    return snapshot.indexedChanges().compactMap { indexed in
      let kind: DocumentChangeType
      switch indexed.change.kind {
      case .added: kind = .added
      case .removed: kind = .removed
      case .modified: kind = .modified
      case .metadata where includeMetadataChanges: kind = .modified
      case .metadata: return nil
      }
      return DocumentChange(
        type: kind,
        document: document(indexed.change.document),
        oldIndex: indexed.oldIndex,
        newIndex: indexed.newIndex
      )
    }
  }

  /// True for equal queries with the same metadata, documents and changes.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? QuerySnapshot else { return false }
    return self === other
      || (query == other.query && metadata == other.metadata && documents == other.documents
        && documentChanges == other.documentChanges)
  }

  /// A hash of the query, the metadata and the number of documents.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(query)
    hasher.combine(metadata)
    hasher.combine(count)
    return hasher.finalize()
  }
}

/// The kind of change to a document of a query's results.
public enum DocumentChangeType: Int, Sendable {
  /// It came in.
  case added = 0
  /// It changed.
  case modified = 1
  /// It went out; the document is as it was last.
  case removed = 2
}

/// One change of a query's results.
public final class DocumentChange: NSObject, Sendable {
  /// The kind of change to the document.
  public let type: DocumentChangeType
  /// The document after the change; a removed one as it was last.
  public let document: QueryDocumentSnapshot
  /// The index before this change, once all changes before it are made; `NSNotFound` for an added
  /// document.
  public let oldIndex: UInt
  /// The index after that; `NSNotFound` for a removed document.
  public let newIndex: UInt

  init(
    type: DocumentChangeType,
    document: QueryDocumentSnapshot,
    oldIndex: Int?,
    newIndex: Int?
  ) {
    self.type = type
    self.document = document
    self.oldIndex = UInt(oldIndex ?? NSNotFound)
    self.newIndex = UInt(newIndex ?? NSNotFound)
  }

  /// True for the same kind of change of an equal document, between the same indexes.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? DocumentChange else { return false }
    return type == other.type && document == other.document && oldIndex == other.oldIndex
      && newIndex == other.newIndex
  }

  /// A hash of the kind of change and of the document.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(type)
    hasher.combine(document)
    return hasher.finalize()
  }
}
