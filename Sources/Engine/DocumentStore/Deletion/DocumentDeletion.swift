import FirestoreModel
import KeyValueStore

/// A deletion of any number of documents, a bounded step at a time.
///
/// It deletes the documents that exist when it begins, in the order of their names. Each step
/// commits deletes as a client would, so listeners, indexes and history see them; a failed step has
/// deleted whole commits and can be repeated. It never reads a name twice, so it does not walk
/// through its own deletions. One call at a time; calls block.
package final class DocumentDeletion {
  /// Documents that one commit deletes: the limit of Google's clients, so listeners see batches of a size that they know.
  private static let commitSize = 500
  /// Commits in flight: the next ones are prepared while the writer is busy, and other clients' commits wait for no more.
  private static let commitsInFlight = 3
  private static let commitsPerStep = 16

  private struct Commit {
    let paths: ArraySlice<ResourcePath>
    let result: BlockingResult<CommitOutcome>
  }

  private let database: Database
  private let selection: DocumentSelection
  private let names: QueryCursor
  /// Names that were read and not deleted yet, because their commit failed.
  private var remaining: ArraySlice<ResourcePath> = []
  private var hasReadAll = false
  /// Held from the second step on: what the first one deletes is little.
  private var bulkWriting: BulkWriting?
  /// The greatest name up to which all documents are deleted; nil before the first.
  package private(set) var last: ResourcePath?
  /// Documents deleted so far.
  package private(set) var count = 0

  /// Begins to delete a selection, behind the name `last` where an earlier deletion came so far.
  package init(
    _ selection: DocumentSelection,
    in database: Database,
    after last: ResourcePath? = nil
  ) throws {
    self.database = database
    self.selection = selection
    self.last = last
    names = try database.query(selection.query(in: database.id, after: last))
  }

  /// True when every document is deleted.
  package var isDone: Bool { hasReadAll && remaining.isEmpty }

  /// Deletes up to 8,000 documents and returns when that is durable.
  package func step() throws {
    if count >= Self.commitSize * Self.commitsPerStep, bulkWriting == nil {
      bulkWriting = database.engine.beginBulkWriting()
    }
    if remaining.isEmpty { try readNames() }
    var rest = remaining
    var inFlight: [Commit] = []
    do {
      while !rest.isEmpty || !inFlight.isEmpty {
        if !rest.isEmpty, inFlight.count < Self.commitsInFlight {
          let paths = rest.prefix(Self.commitSize)
          rest = rest.dropFirst(paths.count)
          inFlight.append(delete(paths))
        } else {
          try finish(inFlight.removeFirst())
        }
      }
    } catch {
      // The position stays before the first that failed; what others deleted is deleted again.
      for commit in inFlight { _ = try? commit.result.wait() }
      throw error
    }
  }

  private func finish(_ commit: Commit) throws {
    _ = try commit.result.wait()
    remaining = remaining.dropFirst(commit.paths.count)
    count += commit.paths.count
    last = commit.paths.last
  }

  private func readNames() throws {
    let found = try names.nextNames(max: Self.commitSize * Self.commitsPerStep)
    remaining = found.paths[...]
    hasReadAll = found.isDone
  }

  private func delete(_ paths: ArraySlice<ResourcePath>) -> Commit {
    let writes = paths.map { path in
      Write(name: DocumentName(database: database.id, path: path), operation: .delete)
    }
    let result = BlockingResult<CommitOutcome>()
    var proposal = CommitProposal(writes: writes)
    proposal.isBulk = true
    database.commit(proposal) { result.set($0) }
    return Commit(paths: paths, result: result)
  }
}
