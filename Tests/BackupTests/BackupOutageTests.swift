import Backup
import BaseRuntime
import Foundation
import KeyValueRocksDB
import KeyValueStore
import ObjectStorage
import Synchronization
import Testing

/// A target that is gone for long, and the parts of a server that are beside its engines.
@Suite struct BackupOutageTests {
  /// A clock that the test sets.
  private final class SetClock: Sendable {
    private let time = Mutex<Int64>(MicrosecondClock.system.now())
    var clock: MicrosecondClock { MicrosecondClock { [self] in time.withLock { $0 } } }
    func advance(_ microseconds: Int64) { time.withLock { $0 += microseconds } }
  }

  private static let minute: Int64 = 60_000_000

  @Test(arguments: [1 << 30, 64 << 10])
  func `a target that is gone for an hour is caught up with, and the log stays bounded`(
    kept: Int
  ) async throws {
    let clock = SetClock()
    let scratch = try BackupScratch(keptLogBytes: kept, clock: clock.clock)
    try await scratch.shipper.step()
    scratch.target.set(.away)
    var largest = 0
    for number in 0..<60 {
      try scratch.store.write { group in
        try group.put([0x10, UInt8(number)], [UInt8](repeating: 7, count: 10_000))
        _ = try group.allocateVersion()
      }
      await #expect(throws: BackupError.self) { try await scratch.shipper.step() }
      largest = max(largest, scratch.store.keptLogBytes)
      clock.advance(Self.minute)
    }
    #expect(scratch.shipper.lag >= 3_540)
    // One log file is always kept, whatever is in it.
    #expect(kept > largest || largest < 400 << 10)
    scratch.target.set(.none)
    try await scratch.shipper.step()
    #expect(scratch.shipper.lag < 1)
    let (store, _, _) = try await scratch.restored(.end)
    let isWhole = try store == BackupScratch.contents(scratch.store)
    #expect(isWhole)
  }

  @Test func `files beside the engines are as they were at the instant that is restored`()
    async throws
  {
    let scratch = try BackupScratch(withFiles: true)
    let version = try Self.commit(scratch, 1)
    try Self.put("sources/one/main.py", "first", scratch)
    try await scratch.shipper.step()
    try await scratch.shipper.step()
    let between = try Self.commit(scratch, 2)
    try Self.awaitFileClock(past: between, scratch)
    try Self.put("sources/two/main.py", "second", scratch)
    try FileManager.default.removeItem(atPath: "\(scratch.folder)/sources/one")
    try await scratch.shipper.step()
    let last = try await Self.files(scratch, .end)
    #expect(last == ["sources/two/main.py": "second"])
    #expect(try await Self.files(scratch, .instant(between)) == ["sources/one/main.py": "first"])
    #expect(between > version)
    // A shipper that begins anew knows what is there, and lists nothing again.
    let lists = try await scratch.target.list("lists/")
    try await scratch.restart(closing: true)
    try await scratch.shipper.step()
    #expect(try await scratch.target.list("lists/") == lists)
  }

  /// Waits until the file system's clock, which goes by steps of milliseconds, has passed a version.
  private static func awaitFileClock(past version: Int64, _ scratch: BackupScratch) throws {
    let probe = URL(fileURLWithPath: "\(scratch.folder)-probe")
    defer { try? FileManager.default.removeItem(at: probe) }
    var modified = Int64(0)
    while modified <= version {
      try Data().write(to: probe)
      let values = try FileManager.default.attributesOfItem(atPath: probe.path)
      let date = values[.modificationDate] as? Date
      modified = Int64(((try #require(date)).timeIntervalSince1970 * 1_000_000).rounded(.down))
    }
  }

  private static func commit(_ scratch: BackupScratch, _ number: UInt8) throws -> Int64 {
    try scratch.store.write { group in
      try group.put([0x10], [number])
      return try group.allocateVersion()
    }
  }

  /// Puts a file in its place by renaming the folder that it is in, as functions are deployed.
  private static func put(_ path: String, _ text: String, _ scratch: BackupScratch) throws {
    let parts = path.split(separator: "/")
    let files = FileManager.default
    let made = "\(scratch.folder)/made"
    try files.createDirectory(atPath: made, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(made)/\(parts[2])"))
    let above = "\(scratch.folder)/\(parts[0])"
    try files.createDirectory(atPath: above, withIntermediateDirectories: true)
    try files.moveItem(atPath: made, toPath: "\(above)/\(parts[1])")
  }

  private static func files(
    _ scratch: BackupScratch,
    _ point: RestorePoint
  ) async throws -> [String: String] {
    let directory = scratch.folder + "/restored-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let archive = try await BackupArchive.open(scratch.target, key: scratch.key)
    let restore = BackupRestore(archive, threads: scratch.threads)
    var outcome = try await restore.run(to: directory, point)
    try await restore.restoreFiles(of: ["sources"], to: directory, point, &outcome)
    var found: [String: String] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: directory)
    where path.hasPrefix("sources/") && path.hasSuffix(".py") {
      found[path] = try String(contentsOfFile: "\(directory)/\(path)", encoding: .utf8)
    }
    #expect(outcome.files == found.count)
    return found
  }
}
