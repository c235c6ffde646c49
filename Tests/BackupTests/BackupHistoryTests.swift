import Backup
import Foundation
import KeyValueRocksDB
import KeyValueStore
import ModelTestSupport
import Testing

/// Random writes, faults and ends of the process; restores are compared with a plain model of the commit.
@Suite struct BackupHistoryTests {
  /// The store's contents behind each commit, and the events' contents at the end.
  private struct Model {
    var states: [(version: Int64, contents: BackupScratch.Contents)] = []
    var contents: BackupScratch.Contents = [:]
    var events: BackupScratch.Contents = [:]
  }

  private static var seeds: [UInt64] {
    // A seed that failed is run again with BRASA_BACKUP_SEED.
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["BRASA_BACKUP_SEED"].flatMap(UInt64.init) { return [seed] }
    let count = environment["BRASA_SLOW_TESTS"] != nil ? 200 : 4
    return (0..<count).map { _ in UInt64.random(in: 0...UInt64.max) }
  }

  @Test(arguments: seeds)
  func `a restore to any commit equals the model at that commit`(seed: UInt64) async throws {
    print("seed \(seed)")
    var source = SeededSource(seed: seed)
    // With little room for the log it is given up while the target is away, and a new base takes its place.
    let isShort = Int.random(in: 0..<3, using: &source) == 0
    let scratch = try BackupScratch(
      encrypted: Bool.random(using: &source),
      keptLogBytes: isShort ? 256 << 10 : 1 << 30
    )
    var model = Model()
    try await scratch.shipper.step()
    for _ in 0..<60 {
      for _ in 0..<Int.random(in: 0...6, using: &source) {
        try Self.write(scratch, &model, &source)
      }
      try await Self.act(scratch, &source)
    }
    scratch.target.set(.none)
    try await Self.untilStep(scratch)
    await scratch.shipper.finish()
    let (store, events, outcome) = try await scratch.restored(.end)
    let isWhole = store == model.contents && events == model.events
    #expect(isWhole)
    #expect(outcome.lastVersion == model.states.last?.version ?? 0)
    let known = model.states.indices.dropFirst()
    for _ in 0..<4 {
      guard let index = known.randomElement(using: &source) else { break }
      let limit = model.states[index].version
      do {
        let (store, _, outcome) = try await scratch.restored(.beforeCommit(limit))
        let isEqual = store == model.states[index - 1].contents
        #expect(isEqual, "before \(limit)")
        #expect(outcome.lastVersion == model.states[index - 1].version)
        let (same, _, _) = try await scratch.restored(.instant(limit - 1))
        let isSame = same == store
        #expect(isSame, "at \(limit - 1)")
      } catch let error as BackupError where error.code == .notFound {
        #expect(isShort, "\(error)")
      }
    }
  }

  private static func act(_ scratch: BackupScratch, _ source: inout SeededSource) async throws {
    switch Int.random(in: 0..<20, using: &source) {
    case 0: scratch.target.set(.away)
    case 1: scratch.target.set(.full)
    case 2, 3: scratch.target.set(.loses(Int.random(in: 0..<6, using: &source)))
    case 4...6: scratch.target.set(.none)
    case 7: try await scratch.restart(closing: true)
    case 8: try await scratch.restart(closing: false)
    default: break
    }
    try? await scratch.shipper.step()
  }

  private static func untilStep(_ scratch: BackupScratch) async throws {
    var attempts = 0
    while true {
      do { return try await scratch.shipper.step() } catch {
        attempts += 1
        if attempts > 4 { throw error }
      }
    }
  }

  private static func write(
    _ scratch: BackupScratch,
    _ model: inout Model,
    _ source: inout SeededSource
  ) throws {
    let changes = changes(&source)
    if Int.random(in: 0..<5, using: &source) == 0 {
      try scratch.events.write { group in try apply(changes, to: group) }
      for (key, value) in changes { model.events[key] = value }
      return
    }
    let version = try scratch.store.write { group in
      try apply(changes, to: group)
      return try group.allocateVersion()
    }
    for (key, value) in changes { model.contents[key] = value }
    model.states.append((version, model.contents))
  }

  private static func apply(
    _ changes: [(key: [UInt8], value: [UInt8]?)],
    to group: any KeyValueGroup
  ) throws {
    for (key, value) in changes {
      if let value { try group.put(key, value) } else { try group.delete(key) }
    }
  }

  private static func changes(_ source: inout SeededSource) -> [(key: [UInt8], value: [UInt8]?)] {
    (0..<Int.random(in: 1...6, using: &source)).map { _ in
      let key: [UInt8] = [0x10, UInt8.random(in: 0..<40, using: &source)]
      guard Int.random(in: 0..<4, using: &source) > 0 else { return (key, nil) }
      let count = [3, 40, 3_000, 60_000][Int.random(in: 0..<4, using: &source)]
      let value = (0..<count).map { _ in UInt8(truncatingIfNeeded: source.next()) }
      return (key, value)
    }
  }
}
