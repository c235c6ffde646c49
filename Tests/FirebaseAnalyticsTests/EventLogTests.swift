import Foundation
import Testing

@testable import FirebaseAnalytics

/// The file of events, and what its records come to.
struct EventLogTests {
  private static func event(_ number: Int) -> LogRecord {
    .event(
      LoggedEvent(
        name: "e\(number)",
        timeMicros: Int64(number),
        sequence: Int64(number),
        params: ["n": .int(Int64(number))]
      )
    )
  }

  private func folder() -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("log-\(UUID().uuidString)")
  }

  private static func names(_ log: EventLog) throws -> [String] {
    try log.update { $0.contents.waiting.map(\.event.name) }
  }

  @Test func `random steps come to what a list says, and their fewest records to the same`() throws
  {
    for seed in 0..<200 {
      var random = SplitMix(seed: UInt64(seed))
      var (contents, model) = (LogContents(), Model())
      for number in 1...Int.random(in: 1...80, using: &random) {
        let record = model.step(number, &random)
        contents.apply(record, size: 10)
        try #require(contents.waiting.map(\.event.name) == model.names, "seed \(seed)")
        try #require(contents.batch?.count == model.batch?.count, "seed \(seed)")
        try #require(contents.waitingBytes == 10 * model.names.count, "seed \(seed)")
      }
      var copy = LogContents()
      for record in contents.records { copy.apply(record, size: 10) }
      try #require(copy.waiting.map(\.event) == contents.waiting.map(\.event), "seed \(seed)")
      try #require(copy.waiting.map(\.context) == contents.waiting.map(\.context), "seed \(seed)")
      try #require(copy.batch == contents.batch && copy.settings == contents.settings)
      try #require(copy.context == contents.context, "seed \(seed)")
    }
  }

  /// Steps chosen at random, and a list of names for what they should come to.
  private struct Model {
    var names: [String] = []
    var batch: (number: Int64, count: Int)?
    var next: Int64 = 1

    mutating func step(_ number: Int, _ random: inout SplitMix) -> LogRecord {
      switch Int.random(in: 0..<12, using: &random) {
      case 0 where batch == nil && !names.isEmpty:
        let count = Int.random(in: 1...names.count, using: &random)
        batch = (next, count)
        next += 1
        return .batch(number: next - 1, count: count)
      case 1, 2:
        guard let done = batch else { return .finished(number: next + 5) }
        names.removeFirst(done.count)
        batch = nil
        return .finished(number: done.number)
      case 3:
        let first = batch?.count ?? 0
        let count = min(2, names.count - first)
        names.removeSubrange(first..<first + count)
        return .dropped(count: 2)
      case 4 where number % 7 == 0:
        (names, batch) = ([], nil)
        return .cleared
      case 5, 6:
        return .context(EventContext(userID: "u\(number % 3)"))
      default:
        names.append("e\(number)")
        return EventLogTests.event(number)
      }
    }
  }

  @Test func `a batch has events of one context alone`() {
    var contents = LogContents()
    for number in 1...3 { contents.apply(Self.event(number), size: 1) }
    contents.apply(.context(EventContext(userID: "ana")), size: 1)
    for number in 4...9 { contents.apply(Self.event(number), size: 1) }
    #expect(contents.nextBatchCount(limit: 25) == 3 && contents.nextBatchCount(limit: 2) == 2)
    #expect(contents.excess(count: 5, bytes: 100) == 4 && contents.excess(count: 9, bytes: 7) == 2)
    contents.apply(.batch(number: 1, count: 8), size: 1)
    #expect(contents.excess(count: 2, bytes: 100) == 1)
  }

  @Test func `two logs of one file see each other's steps, over compactions too`() throws {
    let folder = folder()
    defer { remove(folder) }
    let url = folder.appendingPathComponent("events")
    let (first, second) = (try EventLog(url), try EventLog(url))
    for number in 1...4_000 {
      let log = number.isMultiple(of: 2) ? first : second
      try log.update { editor in
        try editor.append(Self.event(number))
        if editor.contents.waiting.count == 10 {
          try editor.append(.batch(number: Int64(number), count: 7))
          try editor.append(.finished(number: Int64(number)))
        }
      }
    }
    #expect(try Self.names(first) == Self.names(second))
    #expect(try Self.names(try EventLog(url)) == Self.names(first))
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
    )
    #expect(size < 300 << 10)
    let third = try EventLog(url)
    #expect(try third.update { $0.contents.settings.nextSequence } == 4_001)
  }

  @Test func `a file that was cut anywhere has what was whole`() throws {
    let folder = folder()
    defer { remove(folder) }
    let url = folder.appendingPathComponent("events")
    let log = try EventLog(url)
    var ends: [Int] = [LogFrame.magic.count]
    for number in 1...4 {
      try log.update { try $0.append(Self.event(number)) }
      ends.append(try Data(contentsOf: url).count)
    }
    let bytes = try Data(contentsOf: url)
    for count in 0...bytes.count {
      let copy = folder.appendingPathComponent("copy-\(count)")
      try bytes.prefix(count).write(to: copy)
      let cut = try EventLog(copy)
      let whole = ends.filter { $0 <= count }.count - 1
      #expect(try Self.names(cut) == (1...4).prefix(max(0, whole)).map { "e\($0)" })
      try cut.update { try $0.append(Self.event(9)) }
      #expect(try Self.names(try EventLog(copy)).last == "e9")
    }
  }

  @Test func `a changed byte ends the file before its record`() throws {
    let folder = folder()
    defer { remove(folder) }
    let url = folder.appendingPathComponent("events")
    let log = try EventLog(url)
    for number in 1...3 { try log.update { try $0.append(Self.event(number)) } }
    var bytes = try Data(contentsOf: url)
    bytes[bytes.count - 3] ^= 0x20
    try bytes.write(to: url)
    #expect(try Self.names(try EventLog(url)) == ["e1", "e2"])
  }

  @Test func `a step that throws leaves nothing`() throws {
    struct Stop: Error {}
    let folder = folder()
    defer { remove(folder) }
    let log = try EventLog(folder.appendingPathComponent("events"))
    try log.update { try $0.append(Self.event(1)) }
    #expect(throws: Stop.self) {
      try log.update { editor in
        try editor.append(Self.event(2))
        throw Stop()
      }
    }
    #expect(try Self.names(log) == ["e1"])
  }

  @Test func `the checksum is the usual one`() {
    #expect(Checksum.crc32(Data("123456789".utf8)) == 0xCBF4_3926)
  }

  private func remove(_ folder: URL) {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      // The system clears its folder of temporary files.
    }
  }
}

/// Random numbers that a seed names.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
