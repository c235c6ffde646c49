import CacheTestSupport
import FirestoreModel
import FirestoreSync
import Foundation

/// A schedule of one client over a durable store that goes on where an earlier process was killed.
package struct MortalSchedule {
  private let file: CacheFile
  private var schedule: RandomSchedule

  /// Goes on with what is in a folder: the cache, and the ledger from which the server is made anew.
  package init(folder: URL, seed: UInt64) throws {
    let file = CacheFile(folder: folder)
    self.file = file
    let server = ModelServer()
    let ledger = try Ledger(folder: folder)
    let entries = try ledger.entries(database: server.database)
    var accepted: [UserID: [[Write]]] = [:]
    for entry in entries {
      switch entry {
      case .accepted(let user, let writes): accepted[user, default: []].append(writes)
      case .given(let label?, let writes): _ = server.commit(writes, label)
      case .given(nil, let writes): server.apply(writes)
      }
    }
    let client = try ScheduleClient(
      0,
      server,
      policy: .leastRecentlyUsed,
      accepted: accepted,
      open: { try file.open() }
    )
    let add = Self.adding(to: ledger)
    client.onAccepted = { add(.accepted($0, $1)) }
    server.onChange = { add(.given($0, $1)) }
    schedule = RandomSchedule(
      seed: seed,
      server,
      [client],
      serial: Int64(entries.count) * 10
    )
  }

  /// A process that cannot write its ledger ends like one that is killed.
  private static func adding(to ledger: Ledger) -> (Ledger.Entry) -> Void {
    { entry in
      do { try ledger.add(entry) } catch { fatalError("The ledger cannot be written: \(error)") }
    }
  }

  /// Does one thing.
  package mutating func step() throws { try schedule.step() }

  /// Lets everything come to rest and compares, after so many processes were killed.
  package mutating func finish(killed: Int) throws {
    try schedule.finish(unknown: killed)
    try file.close()
  }
}
