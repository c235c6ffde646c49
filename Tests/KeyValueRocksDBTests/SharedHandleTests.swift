import Dispatch
import KeyValueStore
import Synchronization
import Testing

@testable import KeyValueRocksDB

@Suite struct SharedHandleTests {
  private final class Counts: Sendable {
    let users = Atomic(0)
    let leases = Atomic(0)
    let replacements = Atomic(0)
    let isDone = Atomic(false)
  }

  private static func shared(_ scratch: Scratch) throws -> SharedHandle {
    SharedHandle(
      try RocksDBHandle(directory: scratch.data, configuration: RocksDBConfiguration())
    )
  }

  @Test func `nobody has a lease while the database is replaced`() throws {
    let scratch = try Scratch()
    let shared = try Self.shared(scratch)
    let counts = Counts()
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      if thread == 0 { Self.replace(shared, counts) } else { Self.use(shared, counts) }
    }
    #expect(counts.replacements.load(ordering: .relaxed) == 300)
    #expect(counts.leases.load(ordering: .relaxed) > 0)
    shared.close()
  }

  /// Replaces the database by itself, and counts how often nobody used it.
  private static func replace(_ shared: SharedHandle, _ counts: Counts) {
    for _ in 0..<300 {
      try? shared.replace(timeout: .seconds(3_600)) { old in
        guard let old else { throw KeyValueError(.misuse, "no database") }
        if counts.users.load(ordering: .sequentiallyConsistent) == 0 {
          counts.replacements.add(1, ordering: .relaxed)
        }
        return old
      }
    }
    counts.isDone.store(true, ordering: .releasing)
  }

  private static func use(_ shared: SharedHandle, _ counts: Counts) {
    while !counts.isDone.load(ordering: .acquiring) || counts.leases.load(ordering: .relaxed) == 0 {
      guard let lease = try? shared.lease() else { continue }
      counts.users.add(1, ordering: .sequentiallyConsistent)
      _ = lease.handle.latestSequence
      counts.leases.add(1, ordering: .relaxed)
      counts.users.subtract(1, ordering: .sequentiallyConsistent)
    }
  }

  @Test func `a lease that is out keeps the database as it is`() throws {
    let scratch = try Scratch()
    let shared = try Self.shared(scratch)
    do {
      let lease = try shared.lease()
      let refusal = code { try shared.replace(timeout: .zero) { _ in throw Self.unexpected } }
      #expect(refusal?.code == .stopped)
      #expect(lease.handle.latestSequence == 0)
    }
    // The refusal left nothing behind.
    _ = try shared.lease().handle.latestSequence
    shared.close()
  }

  @Test func `after an opening that failed there is no database until one succeeds`() throws {
    let scratch = try Scratch()
    let shared = try Self.shared(scratch)
    let failure = code {
      try shared.replace(timeout: .zero) { old in
        old?.close()
        throw Self.unexpected
      }
    }
    #expect(failure?.code == .misuse)
    #expect(code { _ = try shared.lease() }?.code == .stopped)
    let reopened = try RocksDBHandle(
      directory: scratch.data,
      configuration: RocksDBConfiguration()
    )
    try shared.replace(timeout: .zero) { old in
      #expect(old == nil)
      return reopened
    }
    #expect(try shared.lease().handle === reopened)
    shared.close()
    #expect(code { _ = try shared.lease() }?.code == .stopped)
  }

  private static let unexpected = KeyValueError(.misuse, "a test's own")
}
