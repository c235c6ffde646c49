import FirestoreModel
import Foundation
import KeyValuePostgres
import KeyValueStore
import Logging
import Synchronization

// The key of the claim: 0xC0, the first byte of `KeyOwner.nodes`, then 0x02. Its value: the home node's number (8 bytes, big-endian);
// none where there is no home node.

/// Which node of a cluster is home: the one that serves what is kept in the memory or the directory of one process.
///
/// The claim is in the store, and every node hears of its changes before anything that was written after them. So a home node whose
/// claim another one took, because it hung or was cut off, writes and shows nothing of those services any more (`HomeEngine`).
final class HomeClaim: Sendable {
  private let engine: PostgresEngine
  private let own: NodeNumber
  private let known = Mutex<NodeNumber?>(nil)
  private let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  private static let key = [KeyOwner.nodes.firstBytes.lowerBound, 0x02]
  /// How long a start waits for a home node that may be dead: somewhat longer than one that was killed is listed.
  private static let patience = Duration.seconds(20)
  private static let pause = 0.5

  /// The claim of a store, which another node may have; nil for an engine that has its store alone.
  ///
  /// Blocks.
  init?(engine: PostgresEngine) throws {
    guard let own = engine.nodeNumber else { return nil }
    (self.engine, self.own) = (engine, own)
    try engine.observeOthers(in: [KeyRange(prefix: Self.key)]) { [weak self] _, reader in
      self?.note(try Self.holder(in: reader))
    }
  }

  /// The home node, as far as memory is current; nil where there is none.
  var holder: NodeNumber? { known.withLock { $0 } }

  /// Throws UNAVAILABLE where this node is not home.
  func check() throws {
    guard holder == own else {
      throw FirestoreError(.unavailable, "Another node of the cluster has become home.")
    }
  }

  /// Makes this node home; throws where another one is, and lives.
  ///
  /// Blocks, while another one may be dead for up to twenty seconds.
  func take(log: Logger) throws {
    let end = ContinuousClock.now + Self.patience
    var hasTold = false
    while true {
      let other = try engine.read { try Self.holder(in: $0) }
      if let other, other != own, try engine.isListed(other) {
        guard ContinuousClock.now < end else {
          throw FirestoreError(
            .failedPrecondition,
            "Another node is home (brasa nodes lists them): stop it first, or start this one without --home."
          )
        }
        if !hasTold { log.notice("waiting for the end of another home node") }
        hasTold = true
        // The store tells of no node's end, and nothing is served yet that could wait for this thread.
        Thread.sleep(forTimeInterval: Self.pause)
        continue
      }
      if try exchange(other, for: own) { return }
    }
  }

  /// Returns when this node's claim is lost, or its task cancelled.
  func untilLost() async throws {
    for await _ in changes { try check() }
  }

  /// Gives the claim up, so that another node may have it at once; blocks.
  func release() throws { _ = try exchange(own, for: nil) }

  /// Writes the next holder where the present one is the expected one; false where it is not.
  private func exchange(_ expected: NodeNumber?, for next: NodeNumber?) throws -> Bool {
    try engine.write { group in
      guard try Self.holder(in: group) == expected else { return false }
      if let next {
        try group.put(Self.key, next.bytes)
      } else {
        try group.delete(Self.key)
      }
      return true
    } settled: { [self] outcome in
      if case .success(true) = outcome { note(next) }
    }
  }

  private func note(_ holder: NodeNumber?) {
    known.withLock { $0 = holder }
    change.yield()
  }

  private static func holder(in reader: any KeyValueReader) throws -> NodeNumber? {
    try reader.get(key).flatMap { NodeNumber(leading: $0) }
  }
}

/// The store as the services of a home node have it: nothing is read or written once another node is home.
///
/// The claim is looked at inside each view and group, which begin with what others wrote.
final class HomeEngine: EngineWrapper {
  let base: any KeyValueEngine
  private let claim: HomeClaim

  /// An engine for as long as this node is home.
  init(_ base: any KeyValueEngine, claim: HomeClaim) { (self.base, self.claim) = (base, claim) }

  func read<R>(_ body: (any KeyValueSnapshot) throws -> R) throws -> R {
    try base.read { snapshot in
      try claim.check()
      return try body(snapshot)
    }
  }

  func readInMemory<R>(steps: Int, _ body: (any KeyValueSnapshot) throws -> R) throws -> R? {
    try base.readInMemory(steps: steps) { snapshot in
      try claim.check()
      return try body(snapshot)
    }
  }

  func submit(_ write: QueuedWrite) {
    let guarded = QueuedWrite(write.priority) { [claim] group in
      try claim.check()
      try write.body(group)
    } completion: {
      write.completion($0)
    }
    base.submit(guarded)
  }

  func get(_ key: [UInt8], cachedOnly: Bool) throws -> PointRead {
    let found = try base.get(key, cachedOnly: cachedOnly)
    try claim.check()
    return found
  }
}
