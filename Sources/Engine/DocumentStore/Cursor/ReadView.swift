import FirestoreModel
import KeyValueStore

/// Throws the error that ends long work without a waiting caller.
///
/// Asked every so many steps, on the thread that works.
package typealias WorkCheck = @Sendable () throws -> Void

/// One engine view with its read version and the cost of its reads.
///
/// A view is `current` when it holds no commit above the read version: then the live data is the
/// visible data, and history is not needed.
package final class ReadView {
  /// The engine's view that is read.
  package let reader: any KeyValueReader
  /// The read version: later commits are invisible.
  package let version: CommitVersion
  /// True if the engine's view holds no later commit, so that history need not be read.
  package let isCurrent: Bool
  /// The reads made through this view so far.
  package var statistics = ReadStatistics()
  /// The number of entries and documents that were looked at.
  private(set) var steps = 0
  /// The number of steps after which a reader pauses when it can.
  var sliceEnd = Int.max
  private let check: WorkCheck?
  private let lease: DocumentCache.Lease

  /// A view read at `version`; `isCurrent` promises that it holds no later commit.
  ///
  /// - Parameters:
  ///   - lease: Taken before the engine's view was opened.
  ///   - check: Asked every 1,024 steps.
  init(
    _ reader: any KeyValueReader,
    at version: CommitVersion,
    isCurrent: Bool,
    lease: DocumentCache.Lease,
    check: WorkCheck? = nil
  ) {
    self.reader = reader
    self.version = version
    self.isCurrent = isCurrent
    self.lease = lease
    self.check = check
  }

  /// A view of the same state that counts its reads for itself.
  ///
  /// It ends when this one does.
  func again() -> ReadView {
    ReadView(reader, at: version, isCurrent: isCurrent, lease: lease, check: check)
  }

  /// True if it is time to pause.
  var isSliceUsedUp: Bool { steps >= sliceEnd }

  /// Counts one entry or document; throws if no caller waits for the result any more.
  @inline(__always)
  func step() throws {
    steps &+= 1
    if steps & 1_023 == 0 { try check?() }
  }

  /// The live record under a document's key; it may be later than the view's version.
  func liveDocument(_ key: [UInt8]) throws -> StoredDocument? {
    if let known = lease.document(key) { return known }
    guard let document = try reader.get(key, as: .document) else { return nil }
    lease.keep(document, key)
    return document
  }
}

/// A view that its owner lends to cursors.
///
/// `@unchecked Sendable`: a cursor uses it on the thread of the call that lends it, and keeps nothing of it.
package struct LentView: @unchecked Sendable {
  let view: ReadView

  /// Lends a view that stays open until the cursors' calls are over.
  package init(_ view: ReadView) { self.view = view }
}

/// The reads of a query so far; `explain` reports them as they are.
package struct ReadStatistics: Sendable, Hashable {
  /// Index entries looked at, visible at the read version or not.
  package var indexEntriesScanned = 0
  /// Document records looked at.
  package var documentsScanned = 0
  /// Moves to a key elsewhere than the next one.
  package var seeks = 0

  /// Nothing read yet.
  package init() {}

  /// Adds the reads of another part of the query.
  package mutating func add(_ other: ReadStatistics) {
    indexEntriesScanned += other.indexEntriesScanned
    documentsScanned += other.documentsScanned
    seeks += other.seeks
  }
}
