import Foundation
import KeyValueRocksDB
import ModelTestSupport
import Testing

#if os(Linux)
@Suite("Durability, by a recorded trace and by injected faults", .serialized)
struct DurabilityTests {
  @Test
  func `every acknowledged group was synced before its acknowledgement`() throws {
    let outcome = try FaultedDriver(Scratch()).run(first: 0, count: 120)
    #expect(outcome.status == 0)
    var disk = SimulatedDisk()
    var acknowledged = 0
    for event in outcome.trace.events {
      if case .mark(let text) = event, text.hasPrefix("ack") {
        acknowledged += 1
        #expect(disk.unsynced(".log").isEmpty, "at \(text)")
      }
      disk.apply(event)
    }
    #expect(acknowledged == 120)
  }

  @Test(arguments: [1, 2, UInt64.random(in: 3...UInt64.max)], [false, true])
  func `whatever a power failure leaves, what was acknowledged is there, whole`(
    seed: UInt64,
    isShared: Bool
  ) throws {
    print("power failures, seed \(seed)")
    var generator = SeededSource(seed: seed)
    let outcome = try FaultedDriver(Scratch()).run(first: 0, count: 120, isShared: isShared)
    #expect(outcome.status == 0, "\(outcome.printed)")
    let start = Crash(contents: [:], head: -1, time: 0)
    var crashes = try crash(outcome.trace, from: start, times: 40, &generator)
    // And once more while the store recovers, or soon after.
    for _ in 0..<4 {
      guard let first = crashes.randomElement(using: &generator) else { break }
      let scratch = try Scratch()
      try first.restore(to: scratch)
      let second = try FaultedDriver(scratch).run(first: first.head + 1, count: 30)
      #expect(second.status == 0, "seed \(seed)")
      crashes += try crash(second.trace, from: first, times: 12, &generator)
    }
  }

  @Test(arguments: [1, 2, 3, 17, 60, Int.random(in: 4...150)], [false, true])
  func `a failed sync ends acknowledging, says why, and a restart recovers`(
    number: Int,
    isShared: Bool
  ) throws {
    let faults = ["BRASA_FAULT_FAIL_SYNC": "\(number)"]
    try expectStop(faults, mentioning: "Input/output error", isShared: isShared)
  }

  @Test(arguments: [1, 2, 3, 40, 120, Int.random(in: 4...300)])
  func `a full disk ends acknowledging, says why, and a restart recovers`(
    number: Int
  ) throws {
    try expectStop(["BRASA_FAULT_FAIL_WRITE": "\(number)"], mentioning: "No space left")
  }

  @Test(arguments: [1, 2, 3, 17, 60, Int.random(in: 4...150)])
  func `a group whose sync failed is not there after an orderly end`(number: Int) throws {
    try expectNothingRefused(["BRASA_FAULT_FAIL_SYNC": "\(number)"])
  }

  @Test(arguments: [1, 2, 3, 40, 120, Int.random(in: 4...300)])
  func `a group that met a full disk is not there after an orderly end`(number: Int) throws {
    try expectNothingRefused(["BRASA_FAULT_FAIL_WRITE": "\(number)"])
  }

  /// After the engine was closed the next start holds the acknowledged groups and nothing else.
  private func expectNothingRefused(_ faults: [String: String]) throws {
    let scratch = try Scratch()
    let comment = Comment(rawValue: "\(faults)")
    let outcome = try FaultedDriver(scratch).run(
      first: 0,
      count: 400,
      faults: faults,
      closes: true
    )
    #expect(outcome.status == 3, "\(comment) \(outcome.printed)")
    let failure = try #require(outcome.marks.first { $0.hasPrefix("failed") }, comment)
    #expect(failure.contains(" outcome-unknown "), "\(failure)")
    let ledger = Ledger(outcome.marks, base: -1)
    let head = try expectWhole(scratch, ledger, above: ledger.highestTime, comment)
    #expect(head == ledger.lastAcknowledged, comment)
  }

  @Test(arguments: [(1, 3), (2, 8), (40, 5), (120, 12), (Int.random(in: 3...200), 6)])
  func `want of room passes without a restart: what was acknowledged is there, and no more`(
    first: Int,
    count: Int
  ) throws {
    let scratch = try Scratch()
    let comment = Comment(rawValue: "write \(first), \(count) times")
    let outcome = try FaultedDriver(scratch).run(
      first: 0,
      count: 130,
      faults: ["BRASA_FAULT_FAIL_WRITE": "\(first)", "BRASA_FAULT_FAIL_WRITE_FOR": "\(count)"],
      retries: true
    )
    #expect(outcome.status == 0, "\(comment) \(outcome.printed)")
    try expectAttempts(outcome.marks, in: scratch, comment)
    let ledger = Ledger(outcome.marks, base: -1)
    #expect(ledger.lastAcknowledged == 129, comment)
    try expectWhole(scratch, ledger, above: ledger.highestTime, comment)
  }

  @Test(arguments: 1...9)
  func `a store whose disk is full at a start can be read, and no start ends in the library`(
    number: Int
  ) throws {
    let scratch = try Scratch()
    let filled = try FaultedDriver(scratch).run(
      first: 0,
      count: 120,
      faults: ["BRASA_FAULT_FAIL_SYNC": "100"]
    )
    let full = try FaultedDriver(scratch).run(
      first: 200,
      count: 2,
      faults: ["BRASA_FAULT_FAIL_WRITE": "\(number)"],
      fromStart: true,
      closes: true
    )
    // 3: it opened, read, refused to write and was closed.
    #expect([0, 3].contains(full.status), "\(full.printed)")
    #expect(full.marks.first == "arm")
    guard full.status == 3, !full.marks.contains(where: { $0.hasPrefix("ack") }) else { return }
    let ledger = Ledger(filled.marks, base: -1)
    try expectWhole(scratch, ledger, above: ledger.highestTime, "write \(number)")
  }

  @Test(arguments: [
    (1, 1), (1, 5), (2, 1), (3, 3), (Int.random(in: 1...9), Int.random(in: 1...6)),
  ])
  func `want of descriptors passes without a restart: what was acknowledged is there, and no more`(
    first: Int,
    count: Int
  ) throws {
    let scratch = try Scratch()
    let comment = Comment(rawValue: "opening \(first), \(count) times")
    let outcome = try FaultedDriver(scratch).run(
      first: 0,
      count: 60,
      faults: ["BRASA_FAULT_NO_FILES": "\(first)", "BRASA_FAULT_NO_FILES_FOR": "\(count)"],
      retries: true
    )
    #expect(outcome.status == 0, "\(comment) \(outcome.printed)")
    let failures = outcome.marks.filter { $0.hasPrefix("failed") }
    #expect(failures.contains { $0.contains("Too many open files") }, comment)
    try expectAttempts(outcome.marks, in: scratch, comment)
    let ledger = Ledger(outcome.marks, base: -1)
    #expect(ledger.lastAcknowledged == 59, comment)
    try expectWhole(scratch, ledger, above: ledger.highestTime, comment)
    // Nor does a power failure at any moment of it take anything away.
    let seed = UInt64.random(in: 0...UInt64.max)
    print("\(comment), seed \(seed)")
    var generator = SeededSource(seed: seed)
    let start = Crash(contents: [:], head: -1, time: 0)
    _ = try crash(outcome.trace, from: start, times: 2, &generator)
  }

  /// Checks that the attempts that left something are those that were acknowledged.
  private func expectAttempts(_ marks: [String], in scratch: Scratch, _ comment: Comment) throws {
    let landed = marks.filter { $0.hasPrefix("landed") }
      .map { "try" + $0.dropFirst("landed".count).replacing(" ", with: "-") }
    let engine = try scratch.open()
    let found = try engine.contents().map(\.key).filter { $0.hasPrefix("try-") }
    #expect(found == landed.sorted(), comment)
    try engine.close()
  }

  /// Some of the files that RocksDB syncs while it opens it can do without.
  @Test(arguments: 1...10)
  func `a sync that fails while the engine opens is an error, and the next start is well`(
    number: Int
  ) throws {
    let scratch = try Scratch()
    let outcome = try FaultedDriver(scratch).run(
      first: 0,
      count: 3,
      faults: ["BRASA_FAULT_FAIL_SYNC": "\(number)"],
      fromStart: true
    )
    let isExplained = outcome.status == 1 && outcome.printed.contains("Input/output error")
    #expect(outcome.status == 0 || isExplained, "\(outcome.printed)")
    let ledger = Ledger(outcome.marks, base: -1)
    try expectWhole(scratch, ledger, above: ledger.highestTime, "sync \(number)")
  }

  /// The files that a crash left, and the facts that are known about it.
  private struct Crash {
    let contents: [String: [UInt8]]
    let head: Int
    let time: Int64

    func restore(to scratch: Scratch) throws {
      try FileManager.default.createDirectory(
        atPath: scratch.data,
        withIntermediateDirectories: true
      )
      for (path, bytes) in contents {
        try scratch.write(path, bytes)
      }
    }
  }

  /// Plays the trace up to random events, pulls the plug there, and checks what opens.
  private func crash(
    _ trace: Trace,
    from start: Crash,
    times: Int,
    _ generator: inout SeededSource
  ) throws -> [Crash] {
    let points = (0..<times).map { _ in
      Int.random(in: 0...trace.events.count, using: &generator)
    }
    var disk = SimulatedDisk(start.contents)
    var crashes: [Crash] = []
    for index in 0...trace.events.count {
      for _ in points.filter({ $0 == index }) {
        let contents = disk.crash(&generator)
        crashes.append(try check(contents, trace.marks(before: index), start, point: index))
      }
      if index < trace.events.count { disk.apply(trace.events[index]) }
    }
    return crashes
  }

  private func check(
    _ contents: [String: [UInt8]],
    _ marks: [String],
    _ start: Crash,
    point: Int
  ) throws -> Crash {
    let ledger = Ledger(marks, base: start.head)
    let time = max(start.time, ledger.highestTime)
    let scratch = try Scratch()
    try Crash(contents: contents, head: 0, time: 0).restore(to: scratch)
    let head = try expectWhole(scratch, ledger, above: time, "crash at event \(point)")
    return Crash(contents: contents, head: head, time: time)
  }

  /// Opens the store, which must hold exactly the groups up to one that may lie one above the last
  /// acknowledged one; answers that group.
  @discardableResult
  private func expectWhole(
    _ scratch: Scratch,
    _ ledger: Ledger,
    above time: Int64,
    _ comment: Comment
  ) throws -> Int {
    let engine = try scratch.open()
    let pairs = try engine.contents()
    let head = pairs.first { $0.key == "head" }.flatMap { Self.number(in: $0.value) } ?? -1
    #expect(head >= ledger.lastAcknowledged, comment)
    #expect(head <= ledger.lastAcknowledged + 1, comment)
    let groups = pairs.filter { !$0.key.hasPrefix("try-") }.map {
      ($0.key, Self.number(in: $0.value) ?? -1)
    }
    #expect(Dictionary(uniqueKeysWithValues: groups) == Ledger.expected(head: head), comment)
    let version = try engine.write { try $0.allocateVersion() }
    #expect(version > time, comment)
    try engine.close()
    return head
  }

  private static func number(in value: [UInt8]) -> Int? {
    Int(String(decoding: value.prefix { $0 != 0x20 }, as: UTF8.self))
  }

  private func expectStop(
    _ faults: [String: String],
    mentioning text: String,
    isShared: Bool = false
  ) throws {
    let scratch = try Scratch()
    let comment = Comment(rawValue: "\(faults), shared \(isShared)")
    let outcome = try FaultedDriver(scratch).run(
      first: 0,
      count: 400,
      faults: faults,
      isShared: isShared
    )
    #expect(outcome.status == 3, comment)
    let failure = try #require(outcome.marks.first { $0.hasPrefix("failed") }, comment)
    #expect(failure.contains(text), comment)
    #expect(outcome.marks.last?.hasSuffix("stopped") == true, comment)
    let fault = outcome.trace.events.firstIndex { event in
      if case .failed = event { true } else { false }
    }
    #expect(fault != nil, comment)
    let ledger = Ledger(outcome.marks, base: -1)
    try expectWhole(scratch, ledger, above: ledger.highestTime, comment)
  }
}
#endif
