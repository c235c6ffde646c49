import BaseText
import FirestoreModel

/// The purpose of a transaction of the local store; a test can make the transactions of a label
/// fail.
package enum TransactionLabel: String, Sendable, Hashable, CaseIterable {
  case writeLocally = "Locally write mutations"
  case allocateTarget = "Allocate target"
  case releaseTarget = "Release target"
  case notifyViewChanges = "notifyLocalViewChanges"
  case acknowledgeBatch = "Acknowledge batch"
  case rejectBatch = "Reject batch"
  case applyRemoteEvent = "Apply remote event"
  case lastSnapshotVersion = "Get last remote snapshot version"
  case changeUser = "Handle user change"
  case nextBatch = "Get next mutation batch"
  case executeQuery = "Execute query"
  case readDocument = "Read document"
  case applyBundle = "Apply bundle documents"
  case saveNamedQuery = "Save named query"
  case saveBundle = "Save bundle"
  case readBundle = "Read bundle"
  case collectGarbage = "Collect garbage"
  case configureIndexes = "Configure indexes"
  case fillIndexes = "Fill indexes"
  case pendingWrites = "Get highest unacknowledged batch id"
  case start = "Start"

  /// True if the transaction may change the store.
  package var changesStore: Bool {
    switch self {
    case .lastSnapshotVersion, .nextBatch, .readDocument, .readBundle, .pendingWrites, .start:
      false
    default: true
    }
  }
}

/// An error of the device's storage after which the same transaction may succeed.
package struct LocalStoreError: Error, Sendable {
  /// A text for the log.
  package let message: String

  /// An error with that text for the log.
  package init(_ message: String) { self.message = message }
}

/// A bundle that was loaded.
package struct BundleRecord: Sendable, Hashable {
  /// The bundle's id, which its publisher chose.
  package let id: String
  /// The time at which the bundle was built; one of the same id that is not newer is skipped.
  package let createTime: CommitVersion
  /// The version of the bundle's format.
  package let version: Int

  /// A record of a bundle.
  package init(id: String, createTime: CommitVersion, version: Int) {
    self.id = id
    self.createTime = createTime
    self.version = version
  }
}

/// A query that a bundle named.
package struct NamedQuery: Sendable, Hashable {
  /// The name by which apps ask for the query.
  package let name: String
  /// The query in the order in which apps see its results, for both limit types.
  package let query: Query
  /// The end of the order at which the query's limit keeps results.
  package let limitType: ListenQuery.LimitType
  /// The snapshot at which the bundle's server ran the query.
  package let readTime: CommitVersion

  /// A named query.
  package init(
    name: String,
    query: Query,
    limitType: ListenQuery.LimitType,
    readTime: CommitVersion
  ) {
    self.name = name
    self.query = query
    self.limitType = limitType
    self.readTime = readTime
  }
}

/// Numbers that belong to a whole store.
package struct StoreGlobals: Sendable, Hashable {
  /// The last snapshot of the server that is in the store.
  package var snapshotVersion: CommitVersion = .zero
  /// The highest number that a target was given; numbers are not given twice.
  package var highestTargetID: TargetID = 0
  /// The highest number of a use, by which least recently used targets and documents are found.
  package var highestSequenceNumber: Int64 = 0
  /// The last batch that was ever made, of any user.
  package var highestBatchID: BatchID = 0

  /// The numbers of an empty store.
  package init() {}
}

/// The tables of a client's cache, in memory or on disk.
///
/// A store is used from one thread at a time, and only inside `transaction`: the body's changes
/// stay if it returns and are undone if it throws. A store whose `transaction` throws has the state
/// from before it. Every conformance passes the same suite.
package protocol LocalStore: AnyObject {
  /// Transactions of these labels fail before they change anything: a fault that tests inject.
  var failingLabels: Set<TransactionLabel> { get set }

  /// Runs the body as one atomic unit.
  func transaction<R>(_ label: TransactionLabel, _ body: () throws -> R) throws -> R
  /// Does work that would make a later transaction slow, while no caller waits for one.
  func settle() throws
  /// Releases the store's storage; it is not used any more.
  func close() throws

  // MARK: Documents, as the server knows them

  /// The documents that the cache knows, of these.
  func documents(_ paths: some Collection<ResourcePath>) throws -> [ResourcePath: CachedDocument]
  /// The documents of a collection whose state was read after a snapshot; all of them after zero.
  func documents(
    in collection: ResourcePath,
    readAfter version: CommitVersion
  ) throws -> [CachedDocument]
  /// The first documents of a collection behind one of them, in the order of their names.
  func documents(
    in collection: ResourcePath,
    after path: ResourcePath?,
    limit: Int
  ) throws -> [CachedDocument]
  /// Stores documents in the place of their earlier states.
  func save(_ documents: [CachedDocument]) throws
  /// Removes documents with their last uses; unknown paths are ignored.
  func removeDocuments(_ paths: some Collection<ResourcePath>) throws
  /// The collections of that id below which something was ever cached or written.
  func collections(withID id: Text) throws -> [ResourcePath]
  /// Returns the size of the documents in bytes.
  func documentBytes() throws -> Int

  // MARK: Mutation queues, one a user

  /// Puts a batch at the end of a user's queue; its number is the highest there.
  func append(_ batch: MutationBatch, user: UserID) throws
  /// Removes a batch, if it is there; overlays stay.
  func removeBatch(_ id: BatchID, user: UserID) throws
  /// The batch of a number; nil where the user's queue has none.
  func batch(_ id: BatchID, user: UserID) throws -> MutationBatch?
  /// The first batch behind that one.
  func batch(after id: BatchID, user: UserID) throws -> MutationBatch?
  /// All batches in their order.
  func batches(user: UserID) throws -> [MutationBatch]
  /// The batches that write one of the documents, in their order.
  func batches(of paths: Set<ResourcePath>, user: UserID) throws -> [MutationBatch]
  /// The number of the last batch in a user's queue; nil where it is empty.
  func highestBatchID(user: UserID) throws -> BatchID?
  /// Returns the documents among those given that a queued batch of any user writes.
  func mutated(among paths: Set<ResourcePath>) throws -> Set<ResourcePath>

  // MARK: Overlays, one a user and document

  /// The overlays of those documents that have one.
  func overlays(
    _ paths: some Collection<ResourcePath>,
    user: UserID
  ) throws -> [ResourcePath: Overlay]
  /// The overlays of a collection's own documents, without those of subcollections.
  func overlays(in collection: ResourcePath, user: UserID) throws -> [ResourcePath: Overlay]
  /// Stores overlays in the place of the documents' earlier ones.
  func save(_ overlays: [ResourcePath: Overlay], user: UserID) throws
  /// Removes the documents' overlays; paths without one are ignored.
  func removeOverlays(_ paths: some Collection<ResourcePath>, user: UserID) throws

  // MARK: Targets and the documents that they match at the server

  /// The data of a target; nil where it was never saved or was removed.
  func target(_ target: Target) throws -> TargetData?
  /// All targets, in no order.
  func targets() throws -> [TargetData]
  /// Stores a target in the place of the one with its number.
  func save(_ target: TargetData) throws
  /// Removes a target and its keys.
  func removeTarget(_ id: TargetID) throws
  /// The documents that the server matched with a target; empty for an unknown number.
  func keys(ofTarget id: TargetID) throws -> Set<ResourcePath>
  /// Adds documents to a target's keys; those that are there already are ignored.
  func addKeys(_ paths: some Collection<ResourcePath>, toTarget id: TargetID) throws
  /// Removes documents from a target's keys; those that are not there are ignored.
  func removeKeys(_ paths: some Collection<ResourcePath>, fromTarget id: TargetID) throws
  /// Returns the documents among those given that a target matches.
  func matched(among paths: Set<ResourcePath>) throws -> Set<ResourcePath>

  // MARK: Collection of what is no longer used

  /// Notes when documents were last used.
  func touch(_ paths: some Collection<ResourcePath>, sequenceNumber: Int64) throws
  /// The cached documents with the number of their last use, least recently used first.
  func leastRecentlyUsed(upTo sequenceNumber: Int64) throws -> [ResourcePath]
  /// All numbers of last use: of documents that no target matches, and of targets.
  func sequenceNumbers() throws -> [Int64]

  // MARK: Indexes of fields

  /// All indexes by ascending numbers.
  func fieldIndexes() throws -> [FieldIndex]
  /// Stores an index in the place of the one with its number; entries stay.
  func save(_ index: FieldIndex) throws
  /// Removes an index and its entries.
  func removeFieldIndex(_ id: IndexID) throws
  /// Puts a document's entries in an index in the place of its earlier ones; each key is there once.
  func setEntries(_ keys: [[UInt8]], of path: ResourcePath, in index: IndexID) throws
  /// Calls the body for the documents of a range of entries, by key and then by name, or from the end, until it
  /// returns false.
  func forEachEntry(
    _ index: IndexID,
    _ collection: ResourcePath,
    _ range: IndexRange,
    isReversed: Bool,
    _ body: (ResourcePath) throws -> Bool
  ) throws

  // MARK: Bundles and globals

  /// The record of a loaded bundle; nil where none of that id was loaded.
  func bundle(_ id: String) throws -> BundleRecord?
  /// Stores a bundle's record in the place of an earlier one of its id.
  func save(_ bundle: BundleRecord) throws
  /// The query that a bundle named; nil where no bundle brought one.
  func namedQuery(_ name: String) throws -> NamedQuery?
  /// Stores a query in the place of an earlier one of its name.
  func save(_ query: NamedQuery) throws
  /// The numbers as they were saved last; those of an empty store at first.
  func globals() throws -> StoreGlobals
  /// Stores all numbers at once.
  func save(_ globals: StoreGlobals) throws
}
