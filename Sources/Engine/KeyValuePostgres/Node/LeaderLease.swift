import KeyValueStore
import Synchronization

/// The lease by which one of the engines of a store leads: a few seconds long, renewed every
/// second, with the number of its term.
///
/// An engine that hangs or is cut off loses the lease, by its own clock as by the server's. Its
/// unfinished writes are refused by its term: each group knows by the timeline's row which one
/// runs. Any thread may ask; one renews.
final class LeaderLease: Sendable {
  /// The time after which a lease ends that is not renewed, in seconds.
  private static let seconds: Int64 = 4
  private let schema: StoreSchema
  private let node: Int64
  private let held = Mutex<(term: Int64, end: ContinuousClock.Instant)?>(nil)

  init(_ schema: StoreSchema, node: Int64) { (self.schema, self.node) = (schema, node) }

  /// The term in which the engine leads; nil where it does not.
  var term: Int64? {
    held.withLock { held in
      guard let held, ContinuousClock.now < held.end else { return nil }
      return held.term
    }
  }

  /// Renews the lease, or takes it where nobody has it.
  func renew(on connection: PostgresConnection) throws {
    let end = ContinuousClock.now + .seconds(Self.seconds)
    let lease = try connection.run(schema.lease(to: node, seconds: Self.seconds))
    let term = lease.rowCount > 0 ? try lease.number(0, 0) : nil
    held.withLock { $0 = term.map { ($0, end) } }
  }

  /// Gives the lease back, so that another engine need not wait for its end.
  func giveBack(on connection: PostgresConnection) throws {
    held.withLock { $0 = nil }
    try connection.run(schema.giveLeaseBack(of: node))
  }
}

/// The term to which the writes of a thread belong.
enum LeaderTerm {
  @TaskLocal static var current: Int64?

  /// A write that does nothing once the term is over in which it was submitted, if it was in one.
  static func bound(_ write: QueuedWrite) -> QueuedWrite {
    guard let term = current else { return write }
    return QueuedWrite(write.priority) { group in
      guard (group as? PostgresGroup)?.row.term == term else {
        throw KeyValueError(.notLeading, "another node is the leader now")
      }
      try write.body(group)
    } completion: {
      write.completion($0)
    }
  }
}

extension KeyValueError.Code {
  /// The code of a write reserved for the leader that failed because another node leads.
  package static let notLeading = KeyValueError.Code(rawValue: "not-leading")
}
