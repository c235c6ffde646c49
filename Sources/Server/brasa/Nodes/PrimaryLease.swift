import BaseRuntime
import BaseStatus
import Foundation
import KeyValuePostgres
import KeyValueStore
import Logging
import Synchronization

// The key of the lease: 0xC0, the first byte of `KeyOwner.nodes`, then 0x02. Its value: the primary's number (8 bytes, big-endian);
// none where there is no primary.

/// The right to be the primary of a cluster: the node that serves the data kept in the memory or
/// the directory of one process.
///
/// The lease is in the store, and every node is notified of its changes before anything that was
/// written after them. So a primary whose lease another node took, because it hung or was cut off,
/// writes and shows nothing of those services any more (`PrimaryEngine`).
///
/// A candidate becomes the primary at once if there is none. Otherwise it stands by until the
/// primary has given up its lease or was silent for long.
final class PrimaryLease: Sendable {
  private struct State {
    var primary: NodeNumber?
    var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastWatcher = 0
  }

  /// A primary, and the number of looks without a new sign of life since a given time.
  ///
  /// Looks are counted, not seconds: while the store is unreachable, no node gives a sign of life.
  private struct Silence {
    let node: NodeNumber
    let heard: Int64
    var looks = 0
  }

  private let engine: PostgresEngine
  private let own: NodeNumber
  private let state = Mutex(State())

  /// The lease's key, whose value is the number of the node that is the primary.
  static let key = [KeyOwner.nodes.firstBytes.lowerBound, 0x02]
  /// After this many looks a silent primary has lost its lease; it renews its sign of life in the
  /// store each second.
  private static let patience = 8
  private static let pause = Duration.seconds(1)

  /// The lease of a store, which another node may have; nil for an engine that has its store alone.
  ///
  /// Blocks.
  init?(engine: PostgresEngine) throws {
    guard let own = engine.nodeNumber else { return nil }
    (self.engine, self.own) = (engine, own)
    try engine.observeOthers(in: [KeyRange(prefix: Self.key)]) { [weak self] _, reader in
      self?.note(try Self.primary(in: reader))
    }
  }

  /// The primary, as far as memory is current; nil where there is none.
  var primary: NodeNumber? { state.withLock { $0.primary } }

  /// True if this node is the primary.
  var isHeld: Bool { primary == own }

  /// Throws UNAVAILABLE where this node is not the primary.
  func check() throws {
    guard isHeld else {
      throw ServiceError(.unavailable, "Another node is the primary of the cluster.")
    }
  }

  /// The same, once memory is current.
  func checkNow() async throws {
    try await engine.becomeCurrent()
    try check()
  }

  /// Reports at once, and after each possible change of the lease.
  func changes() -> AsyncStream<Void> {
    let (changes, watcher) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    watcher.yield()
    let id = state.withLock { state in
      state.lastWatcher += 1
      state.watchers[state.lastWatcher] = watcher
      return state.lastWatcher
    }
    watcher.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.watchers.removeValue(forKey: id) }
    }
    return changes
  }

  /// Returns when the lease has changed, or after that time.
  func change(within time: Duration) async {
    let known = primary
    await withTaskGroup { group in
      group.addTask { [self] in
        for await _ in changes() where primary != known { return }
      }
      group.addTask { try? await Task.sleep(for: time) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Returns when this node is the primary; throws where its task is cancelled before.
  func untilHeld() async throws {
    for await _ in changes() where isHeld { return }
    throw CancellationError()
  }

  /// Makes this node the primary where no other one is that may be alive; blocks.
  func takeIfFree() throws {
    let other = try engine.read { try Self.primary(in: $0) }
    if let other, other != own, try engine.lastHeard(of: other) != nil { return }
    _ = try exchange(other, for: own)
  }

  /// Makes this node the primary as soon as no other one is and `isFit` says yes.
  func become(_ threads: EngineThreads, isFit: @escaping @Sendable () throws -> Bool) async throws {
    var silence: Silence?
    while !isHeld {
      do {
        silence = try await threads.run(on: .maintenance) { [silence] in
          try self.look(after: silence, isFit)
        }
      } catch {
        // While the store is unreachable, nothing is known of other nodes.
        silence = nil
      }
      if !isHeld { try await Task.sleep(for: Self.pause) }
    }
  }

  /// Throws when another node has become the primary; returns when its task is cancelled.
  func untilLost() async throws {
    for await _ in changes() { try check() }
  }

  /// Looks once for the primary, and takes its place where it has none or was silent for too long.
  private func look(after silence: Silence?, _ isFit: () throws -> Bool) throws -> Silence? {
    let other = primary
    if let other, let heard = try engine.lastHeard(of: other) {
      var next = Silence(node: other, heard: heard)
      if let silence, silence.node == other, silence.heard == heard {
        next.looks = silence.looks + 1
      }
      if next.looks < Self.patience { return next }
    }
    if try isFit() { _ = try exchange(other, for: own) }
    return nil
  }

  /// Gives the lease up, so that another node may have it at once; blocks.
  func release() throws { _ = try exchange(own, for: nil) }

  /// Writes the next primary where the present one is the expected one; false where it is not.
  private func exchange(_ expected: NodeNumber?, for next: NodeNumber?) throws -> Bool {
    try engine.write { group in
      guard try Self.primary(in: group) == expected else { return false }
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

  private func note(_ primary: NodeNumber?) {
    let watchers = state.withLock { state in
      state.primary = primary
      return Array(state.watchers.values)
    }
    for watcher in watchers { watcher.yield() }
  }

  private static func primary(in reader: any KeyValueReader) throws -> NodeNumber? {
    try reader.get(key).flatMap { NodeNumber(leading: $0) }
  }
}

/// The store as the services of the primary have it: nothing is read or written while another node is the primary.
///
/// The lease is checked inside each view and group, which begin with what others wrote.
final class PrimaryEngine: EngineWrapper {
  let base: any KeyValueEngine
  private let lease: PrimaryLease

  /// An engine while this node is the primary.
  init(_ base: any KeyValueEngine, lease: PrimaryLease) { (self.base, self.lease) = (base, lease) }

  func read<R>(_ body: (any KeyValueSnapshot) throws -> R) throws -> R {
    try base.read { snapshot in
      try lease.check()
      return try body(snapshot)
    }
  }

  func readInMemory<R>(steps: Int, _ body: (any KeyValueSnapshot) throws -> R) throws -> R? {
    try base.readInMemory(steps: steps) { snapshot in
      try lease.check()
      return try body(snapshot)
    }
  }

  func submit(_ write: QueuedWrite) {
    let guarded = QueuedWrite(write.priority) { [lease] group in
      try lease.check()
      try write.body(group)
    } completion: {
      write.completion($0)
    }
    base.submit(guarded)
  }

  func get(_ key: [UInt8], cachedOnly: Bool) throws -> PointRead {
    let found = try base.get(key, cachedOnly: cachedOnly)
    try lease.check()
    return found
  }
}
