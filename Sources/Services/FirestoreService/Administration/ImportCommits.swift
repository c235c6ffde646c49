import BaseStatus
import DocumentStore
import FirestoreModel
import KeyValueStore

/// The commits of an import: while a few are written, the next batch is read and prepared.
///
/// A batch waits for those that write one of its documents, so that the last document of a name stays. A batch with a
/// write that is refused is committed again write by write, when those behind it have ended.
struct ImportCommits {
  /// A commit in flight.
  private struct Flight {
    let batch: [Write]
    let names: Set<DocumentName>
    let bytes: Int
    let outcome: BlockingResult<CommitOutcome>
  }

  private let database: Database
  private let fill: CommitVersion?
  private var flights: [Flight] = []
  private var batches = 0
  /// Nil before it is known that the import is a large one.
  private var bulkWriting: BulkWriting?
  private var bytes = 0
  /// The number of writes that were committed.
  private(set) var written = 0
  /// The reasons of those that were not.
  private(set) var refusals: [String] = []

  /// Commits in flight, and their bytes unless it is one alone.
  private static let limit = (commits: 4, bytes: 8 << 20)
  /// Batches after which an import is a large one.
  private static let batchesOfSmall = 32

  /// Commits to a database.
  ///
  /// - Parameter fill: The version at which the restore began that fills the database; nil for an import.
  init(to database: Database, by fill: CommitVersion?) {
    self.database = database
    self.fill = fill
  }

  /// Commits a batch, possibly later; waits for earlier ones where many are in flight.
  mutating func add(_ batch: [Write], bytes: Int) throws {
    guard !batch.isEmpty else { return }
    let names = Set(batch.map(\.name))
    // The first of two documents that exclude each other is the one that stays.
    let depth = database.hasUniqueIndexes ? 1 : Self.limit.commits
    while let first = flights.first,
      flights.count >= depth || self.bytes + bytes > Self.limit.bytes
        || flights.contains(where: { !$0.names.isDisjoint(with: names) })
    { try settle(first) }
    batches += 1
    if batches == Self.batchesOfSmall { bulkWriting = database.engine.beginBulkWriting() }
    flights.append(Flight(batch: batch, names: names, bytes: bytes, outcome: begin(batch)))
    self.bytes += bytes
  }

  /// Waits for all commits.
  mutating func finish() throws {
    while let first = flights.first { try settle(first) }
  }

  private func begin(_ batch: [Write]) -> BlockingResult<CommitOutcome> {
    let outcome = BlockingResult<CommitOutcome>()
    var proposal = CommitProposal(writes: batch)
    proposal.fill = fill
    proposal.isBulk = true
    database.commit(proposal) { outcome.set($0) }
    return outcome
  }

  private mutating func settle(_ first: Flight) throws {
    do {
      written += try first.outcome.wait().results.count
      flights.removeFirst()
      bytes -= first.bytes
    } catch let error as ServiceError where error.isOfOneItem {
      try commitEach(behind: error)
    }
  }

  /// Commits each write of the first batch, which was refused, and of others that were.
  private mutating func commitEach(behind refusal: ServiceError) throws {
    var outcomes: [Result<CommitOutcome, any Error>] = [.failure(refusal)]
    for flight in flights.dropFirst() { outcomes.append(Result { try flight.outcome.wait() }) }
    var refused: [Write] = []
    for (flight, outcome) in zip(flights, outcomes) {
      do {
        written += try outcome.get().results.count
      } catch let error as ServiceError where error.isOfOneItem {
        refused += flight.batch
      }
    }
    (flights, bytes) = ([], 0)
    for write in refused { try commitAlone(write) }
  }

  private mutating func commitAlone(_ write: Write) throws {
    do {
      written += try begin([write]).wait().results.count
    } catch let error as ServiceError where error.isOfOneItem {
      refusals.append("\(write.name.path.string): \(error.message)")
    }
  }
}
