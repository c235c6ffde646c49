import Foundation
import KeyValueRocksDB
import Testing

/// Damage to the write-ahead log of a store that was killed with everything still in the log.
@Suite("The log after a crash")
struct RecordLogTests {
  /// A killed store: key `k` of group k holds bytes of its own; group 5 spans several blocks.
  private struct Killed {
    let scratch: Scratch
    let log: String
    /// The log's length after each group.
    let ends: [Int]
    let versions: [Int64]

    init() throws {
      let live = try Scratch()
      let engine = try live.open()
      var ends: [Int] = []
      var versions: [Int64] = []
      for group in 0..<8 {
        let value = [UInt8](repeating: 7, count: group == 5 ? 90_000 : 100)
        versions.append(
          try engine.write { batch in
            try batch.put(KeyValueRocksDBTests.bytes("key-\(group)"), value)
            return try batch.allocateVersion()
          }
        )
        let log = try #require(live.names(".log").last)
        ends.append(try live.read(log).count)
      }
      scratch = try live.crashed()
      log = try #require(live.names(".log").last)
      self.ends = ends
      self.versions = versions
      try engine.close()
    }

    var bytes: [UInt8] { get throws { try scratch.read(log) } }
  }

  @Test(arguments: [1, 3, 7, 8, 20, 60])
  func `that is cut short loses the last group only`(missing: Int) throws {
    let killed = try Killed()
    try killed.scratch.write(killed.log, killed.bytes.dropLast(missing))
    try expectGroups(7, in: killed.scratch, discardsSome: true)
  }

  @Test
  func `that is cut between groups is whole`() throws {
    let killed = try Killed()
    try killed.scratch.write(killed.log, Array(killed.bytes.prefix(killed.ends[3])))
    try expectGroups(4, in: killed.scratch, discardsSome: false)
  }

  @Test(arguments: [0, 1, 2])
  func `with a hole in its last group, a page that never reached the disk, loses that group`(
    page: Int
  ) throws {
    let killed = try Killed()
    var bytes = Array(try killed.bytes.prefix(killed.ends[5]))
    let start = max(killed.ends[4], (killed.ends[4] / 4_096 + 1 + page * 9) * 4_096)
    bytes.replaceSubrange(start..<(start + 4_096), with: repeatElement(0, count: 4_096))
    try killed.scratch.write(killed.log, bytes)
    try expectGroups(5, in: killed.scratch, discardsSome: true)
  }

  @Test
  func `followed by zeros keeps every group`() throws {
    let killed = try Killed()
    try killed.scratch.write(killed.log, killed.bytes + [UInt8](repeating: 0, count: 9_000))
    try expectGroups(8, in: killed.scratch, discardsSome: true)
  }

  @Test(arguments: 0..<6)
  func `damaged before its last group stops the start and names file and offset`(
    group: Int
  ) throws {
    let killed = try Killed()
    let start = group == 0 ? 0 : killed.ends[group - 1]
    // Checksum, length, type, and payload: all must be noticed.
    for offset in [0, 4, 5, 6, 9, 40] {
      var bytes = try killed.bytes
      bytes[start + offset] ^= 0x41
      let damaged = try killed.scratch.crashed()
      try damaged.write(killed.log, bytes)
      let before = try damaged.files()
      let error = try #require(code { _ = try damaged.open() })
      #expect(error.code == .corruption)
      #expect(error.metadata["file"]?.hasSuffix(killed.log) == true)
      #expect(error.metadata["offset"] == "\(start)")
      try #expect(damaged.files() == before)
    }
  }

  @Test
  func `may be torn before a later file without a record, as a full disk leaves it`() throws {
    let killed = try Killed()
    try killed.scratch.write(killed.log, killed.bytes.dropLast(5))
    try killed.scratch.write("000998.log", [])
    try killed.scratch.write("000999.log", [1, 2, 3])
    try expectGroups(7, in: killed.scratch, discardsSome: true)
  }

  @Test
  func `must be whole before a later file with a record`() throws {
    let killed = try Killed()
    let first = try killed.bytes.prefix(killed.ends[0])
    try killed.scratch.write(killed.log, killed.bytes.dropLast(5))
    try killed.scratch.write("999999.log", Array(first))
    let before = try killed.scratch.files()
    let error = try #require(code { _ = try killed.scratch.open() })
    #expect(error.code == .corruption)
    #expect(error.metadata["file"]?.hasSuffix(killed.log) == true)
    try #expect(killed.scratch.files() == before)
  }

  @Test
  func `that was damaged from outside names the groups that it may have lost`() throws {
    let killed = try Killed()
    // The last three groups' checksums: nothing whole is left behind the fifth.
    var bytes = try killed.bytes
    for group in 5..<8 { bytes[killed.ends[group - 1]] ^= 0x41 }
    let damaged = try killed.scratch.crashed()
    try damaged.write(killed.log, bytes)
    let engine = try damaged.open()
    let part = try #require(engine.discardedLog.first)
    #expect(engine.discardedLog.count == 1)
    #expect(part.file.hasSuffix(killed.log))
    #expect(part.offset == killed.ends[4])
    #expect(part.bytes == killed.ends[7] - killed.ends[4])
    #expect(engine.recoveredVersion == killed.versions[4])
    #expect(part.versions == Array(killed.versions[5...]))
    try engine.close()
  }

  @Test
  func `whose end is blank names no group`() throws {
    let killed = try Killed()
    try killed.scratch.write(killed.log, killed.bytes + [UInt8](repeating: 0, count: 9_000))
    let engine = try killed.scratch.open()
    #expect(engine.discardedLog.map(\.versions) == [[]])
    #expect(engine.discardedLog.map(\.bytes) == [9_000])
    try engine.close()
  }

  private func expectGroups(
    _ count: Int,
    in scratch: Scratch,
    discardsSome: Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let engine = try scratch.open()
    let found = try engine.contents().map(\.key)
    #expect(found == (0..<count).map { "key-\($0)" }, sourceLocation: sourceLocation)
    #expect(!engine.discardedLog.isEmpty == discardsSome, sourceLocation: sourceLocation)
    try engine.put("later", [1])
    try engine.close()
    let again = try scratch.open()
    try #expect(again.value("later") == [1], sourceLocation: sourceLocation)
    try again.close()
  }
}
