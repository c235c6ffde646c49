import BaseRuntime
import KeyValueRocksDB
import KeyValueStore
import Synchronization
import Testing

@testable import Backup

/// Tests of the parts of a target that are removed, and of the time at which they are.
@Suite struct BackupRetentionTests {
  private static let day: Int64 = 86_400_000_000

  /// A clock that the test sets.
  private final class SetClock: Sendable {
    private let time = Mutex<Int64>(MicrosecondClock.system.now())
    var clock: MicrosecondClock { MicrosecondClock { [self] in time.withLock { $0 } } }
    func advance(_ microseconds: Int64) { time.withLock { $0 += microseconds } }
  }

  private struct Day {
    let version: Int64
    let contents: BackupScratch.Contents
  }

  /// Writes once a day, each time behind the base of that day.
  private static func fill(_ scratch: BackupScratch, _ clock: SetClock) async throws -> [Day] {
    var days: [Day] = []
    for number in 0..<12 {
      try await scratch.shipper.step()
      let version = try scratch.store.write { group in
        try group.put([0x10, UInt8(number)], [UInt8](repeating: 7, count: 20_000))
        if number > 2 { try group.delete([0x10, UInt8(number - 3)]) }
        return try group.allocateVersion()
      }
      days.append(Day(version: version, contents: try BackupScratch.contents(scratch.store)))
      try await scratch.shipper.step()
      clock.advance(day)
    }
    return days
  }

  @Test func `what is older than the retention goes only when a newer base was proven`()
    async throws
  {
    let clock = SetClock()
    let scratch = try BackupScratch(clock: clock.clock)
    let days = try await Self.fill(scratch, clock)
    let archive = try await BackupArchive.open(scratch.target, key: scratch.key)
    #expect(try await archive.baseNumbers() == Array(1...12))
    #expect(try await scratch.shipper.takeProof() == 0)

    // An old proof frees nothing that is behind it.
    try await archive.keep(BackupProof(base: 2, segment: 2, at: 0))
    #expect(try await scratch.shipper.takeProof() > 0)
    #expect(try await archive.baseNumbers() == Array(2...12))

    try await archive.keep(BackupProof(base: 12, segment: 12, at: 0))
    #expect(try await scratch.shipper.takeProof() > 0)
    #expect(scratch.shipper.status.provenBase == 12)
    // Now is the thirteenth day: the last base from a week ago or before is the sixth one.
    #expect(try await archive.baseNumbers() == Array(6...12))
    for number in 5..<11 {
      let (store, _, _) = try await scratch.restored(.beforeCommit(days[number + 1].version))
      let isEqual = store == days[number].contents
      #expect(isEqual, "day \(number)")
    }
    let (store, _, _) = try await scratch.restored(.end)
    let isWhole = store == days[11].contents
    #expect(isWhole)
    await #expect(throws: BackupError.self) {
      try await scratch.restored(.beforeCommit(days[1].version))
    }
    // What goes on after the removal is a whole chain still.
    try scratch.store.write { try $0.put([0x11], [1]) }
    try await scratch.shipper.step()
    let (later, _, _) = try await scratch.restored(.end)
    #expect(later[[0x11]] == [1])
  }

  @Test func `a base with later versions than the clock keeps the one before it`() async throws {
    let clock = SetClock()
    let scratch = try BackupScratch(clock: clock.clock)
    let days = try await Self.fill(scratch, clock)
    // The clock was ahead for twelve days and is set right; versions go on where they were.
    clock.advance(-20 * Self.day)
    var last = days[11].version
    for number in 0..<3 {
      last = try scratch.store.write { group in
        try group.put([0x12, UInt8(number)], [1])
        return try group.allocateVersion()
      }
      try await scratch.shipper.makeBase()
    }
    let archive = try await BackupArchive.open(scratch.target, key: scratch.key)
    let newest = try #require(try await archive.baseNumbers().last)
    try await archive.keep(BackupProof(base: newest, segment: .max, at: 0))
    let needed = days[11].version
    var retention = BackupRetention()
    (retention.days, retention.bases) = (0, 1)
    _ = try await archive.removeOld(retention, at: last + Self.day, since: needed)
    let (store, _, _) = try await scratch.restored(.beforeCommit(needed + 1))
    let isWhole = store == days[11].contents
    #expect(isWhole)
  }
}
