import Backup
import BaseRuntime
import Foundation
import KeyValueRocksDB
import KeyValueStore
import Synchronization
import Testing

/// A process that ends at each step of a backup and of a restore, and clocks that are set meanwhile.
@Suite struct BackupStepTests {
  private static func write(_ scratch: BackupScratch, _ number: Int, bytes: Int) throws -> Int64 {
    try scratch.store.write { group in
      try group.put([0x10, UInt8(number)], [UInt8](repeating: UInt8(number), count: bytes))
      return try group.allocateVersion()
    }
  }

  @Test func `a process that ends at any step of a backup goes on with the next start`()
    async throws
  {
    let scratch = try BackupScratch()
    var states: [BackupScratch.Contents] = [[:]]
    var hasBase = false
    var step = 0
    while true {
      // Each round is cut off a call later, up to the one that makes the base snapshot and ships what followed.
      _ = try Self.write(scratch, step, bytes: 70_000)
      states.append(try BackupScratch.contents(scratch.store))
      scratch.target.set(.ends(step))
      try? await scratch.shipper.step()
      let isCut = scratch.target.hasEnded
      scratch.target.set(.none)
      try await scratch.restart(closing: false)
      let archive = try? await BackupArchive.open(scratch.target, key: scratch.key)
      let bases = try await archive?.baseNumbers() ?? []
      hasBase = hasBase || !bases.isEmpty
      #expect(hasBase == !bases.isEmpty)
      if hasBase, step.isMultiple(of: 4) {
        let (store, _, _) = try await scratch.restored(.end)
        #expect(states.contains(store), "step \(step)")
      }
      if !isCut { break }
      step += 1
    }
    // A round asks for the identity and the chain, makes a base and ships a segment.
    #expect(step > 12)
    try await scratch.shipper.step()
    let (store, _, _) = try await scratch.restored(.end)
    let isWhole = store == states.last
    #expect(isWhole)
  }

  @Test func `a restore that ends at any step leaves engines that nothing opens`() async throws {
    let scratch = try BackupScratch()
    for number in 0..<6 {
      _ = try Self.write(scratch, number, bytes: 9_000)
      try await scratch.shipper.step()
    }
    let archive = try await BackupArchive.open(scratch.target, key: scratch.key)
    let restore = BackupRestore(archive, threads: scratch.threads)
    let files = FileManager.default
    var step = 0
    while true {
      let directory = "\(scratch.folder)/cut-\(step)"
      try files.createDirectory(atPath: directory, withIntermediateDirectories: true)
      scratch.target.set(.ends(step))
      let outcome = try? await restore.run(to: directory, .end)
      let isCut = scratch.target.hasEnded
      scratch.target.set(.none)
      guard isCut else {
        #expect(outcome != nil)
        break
      }
      #expect(outcome == nil)
      for name in BackupRestore.engines {
        let names = (try? files.contentsOfDirectory(atPath: "\(directory)/\(name)")) ?? []
        guard !names.isEmpty else { continue }
        #expect(throws: KeyValueError.self, "step \(step)") {
          _ = try RocksDBEngine(directory: "\(directory)/\(name)")
        }
      }
      step += 1
    }
    #expect(step > 8)
  }

  /// A clock that the test sets.
  private final class SetClock: Sendable {
    private let time = Mutex<Int64>(MicrosecondClock.system.now())
    var clock: MicrosecondClock { MicrosecondClock { [self] in time.withLock { $0 } } }
    func advance(_ microseconds: Int64) { time.withLock { $0 += microseconds } }
  }

  @Test func `a clock that is set back and forth changes nothing in what is restored`()
    async throws
  {
    let hour: Int64 = 3_600_000_000
    let clock = SetClock()
    let scratch = try BackupScratch(clock: clock.clock)
    var states: [(version: Int64, contents: BackupScratch.Contents)] = []
    for (number, step) in [0, hour, -hour, -2 * hour, 26 * hour, -24 * hour, hour].enumerated() {
      clock.advance(step)
      for part in 0..<3 {
        let version = try Self.write(scratch, number * 3 + part, bytes: part == 1 ? 70_000 : 500)
        states.append((version, try BackupScratch.contents(scratch.store)))
        if part != 1 { try await scratch.shipper.step() }
      }
      if number == 3 { try await scratch.restart(closing: false) }
    }
    try await scratch.shipper.step()
    #expect(states.map(\.version) == states.map(\.version).sorted())
    let archive = try await BackupArchive.open(scratch.target, key: scratch.key)
    #expect(try await !archive.baseNumbers().isEmpty)
    for (index, state) in states.enumerated().dropFirst() {
      let (before, _, _) = try await scratch.restored(.beforeCommit(state.version))
      let isBefore = before == states[index - 1].contents
      #expect(isBefore, "before commit \(index)")
    }
    for state in states.suffix(12) {
      do {
        let (at, _, _) = try await scratch.restored(.instant(state.version))
        let isSame = at == state.contents
        #expect(isSame)
      } catch let error as BackupError where error.code == .notFound {
        // The base's instant is of a clock that was ahead: it is refused, and nothing else is restored for it.
      }
    }
    let (last, _, _) = try await scratch.restored(.end)
    let isLast = last == states.last?.contents
    #expect(isLast)
  }
}
