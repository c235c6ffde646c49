import Foundation
import ModelTestSupport
import Testing

@testable import EventAnalytics

/// Tests that stored records are read back as they were, and that damage is an error.
@Suite struct RecordTests {
  private static func event(_ source: inout SeededSource) -> AnalyticsEvent {
    var event = AnalyticsEvent(
      "name_\(source.next() % 9)",
      time: Int64(truncatingIfNeeded: source.next()) / 4,
      sequence: Int64(truncatingIfNeeded: source.next() % 100)
    )
    event.parameters = [
      EventParameter("text", .string("é\(source.next())")),
      EventParameter("number", .integer(Int64(truncatingIfNeeded: source.next()))),
      EventParameter("double", .double(Double(source.next()) / 7)),
      EventParameter("items", .items([[EventParameter("item_id", .string("a"))], []])),
    ]
    return event
  }

  private static func batch(_ source: inout SeededSource) -> EventBatch {
    var batch = EventBatch(instanceID: "one", events: (0..<5).map { _ in event(&source) })
    batch.context.country = "BR"
    batch.context.timeZoneOffsetSeconds = -10_800
    batch.userID = "ü"
    batch.properties = [UserProperty("level", "", time: .max / 4)]
    batch.received = 1_795_400_000_000_000
    batch.clockOffset = -5
    batch.standing = SenderStanding.allCases.randomElement(using: &source) ?? .proven
    batch.networkMark = [nil, 0, 7, .max].randomElement(using: &source) ?? nil
    batch.dropped = [.nameInvalid: 3, .valueInvalid: 1]
    return batch
  }

  @Test(arguments: 0..<20) func `a batch is read as it was`(seed: UInt64) throws {
    var source = SeededSource(seed: seed)
    let batch = Self.batch(&source)
    let read = try batch.encoded.withUnsafeBytes { try EventBatch(decoding: $0) }
    #expect(read == batch)
  }

  @Test(arguments: 0..<300) func `damaged records are errors or other records`(seed: UInt64) throws
  {
    var source = SeededSource(seed: seed)
    var bytes = Self.batch(&source).encoded
    let run = Self.run(&source)
    var runs = TimelineRun.encode([run, run])
    for _ in 0..<3 {
      bytes[Int.random(in: 0..<bytes.count, using: &source)] = UInt8(
        truncatingIfNeeded: source.next()
      )
      runs[Int.random(in: 0..<runs.count, using: &source)] = UInt8(
        truncatingIfNeeded: source.next()
      )
    }
    bytes.removeLast(Int.random(in: 0..<bytes.count, using: &source))
    _ = bytes.withUnsafeBytes { raw in Result { try EventBatch(decoding: raw) } }
    _ = runs.withUnsafeBytes { raw in Result { try TimelineRun.decode(raw) } }
    _ = Result { try Self.steps(runs, among: [64, 65]) }
  }

  private static func run(_ source: inout SeededSource) -> TimelineRun {
    TimelineRun(
      context: 0,
      inlineContext: EventContext().encoded,
      userID: "u",
      received: 1_795_400_000_000_000,
      clockOffset: 7,
      properties: [
        .init(name: 64, word: 0, text: "x", time: 5), .init(name: 65, word: 66, text: "", time: 6),
      ],
      events: (0..<4).map { index in
        TimelineEvent(
          name: 64 + UInt32(index),
          time: 1_795_400_000_000_000 - Int64(source.next() % 1_000_000_000),
          sequence: Int64(index),
          parameters: [
            .init(name: 3, value: .integer(-5, word: 0)), .init(name: 70, value: .word(71)),
            .init(name: 72, value: .text("t")), .init(name: 5, value: .double(0.5)),
            .init(name: 73, value: .integer(.min, word: 700)),
            .init(name: 74, value: .items([[EventParameter("item_id", .string("a"))], []])),
          ]
        )
      }
    )
  }

  @Test(arguments: 0..<20) func `a timeline is read as it was`(seed: UInt64) throws {
    var source = SeededSource(seed: seed)
    let runs = [Self.run(&source), Self.run(&source)]
    #expect(try TimelineRun.encode(runs).withUnsafeBytes { try TimelineRun.decode($0) } == runs)
  }

  private static func steps(_ bytes: [UInt8], among names: [UInt32]) throws -> [TimelineStep] {
    var steps: [TimelineStep] = []
    try bytes.withUnsafeBytes { try TimelineRun.appendSteps(of: $0, among: names, to: &steps) }
    return steps
  }

  @Test(arguments: 0..<20) func `a timeline's steps are its events of some names`(
    seed: UInt64
  ) throws {
    var source = SeededSource(seed: seed)
    let runs = [Self.run(&source), Self.run(&source)]
    let bytes = TimelineRun.encode(runs)
    for names: [UInt32] in [[], [64], [66, 65], [64, 65, 66, 67]] {
      let expected = runs.flatMap(\.events).filter { names.contains($0.name) }
        .map { TimelineStep(name: $0.name, time: $0.time, sequence: $0.sequence) }
      #expect(try Self.steps(bytes, among: names) == expected)
    }
  }

  @Test(arguments: [
    ("1970-01-01", 0), ("2026-11-23", 20_780), ("2024-02-29", 19_782), ("1969-12-31", -1),
  ])
  func `days are counted from 1970`(text: String, number: Int) {
    #expect(EventDay(text)?.number == number)
    #expect(EventDay(number).text == text)
    #expect(EventDay(key: EventDay(number).key).number == number)
  }

  @Test(arguments: ["2026-02-29", "2026-13-01", "2026-1-01", "x", "", "20261123", "2026-11-00"])
  func `what is no day is refused`(text: String) {
    #expect(EventDay(text) == nil)
  }
}
