import ArgumentParser
import EventAnalytics
import Foundation

/// The command `brasa-load event-cards`.
struct EventCardsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "event-cards",
    abstract: "Take random events in this process and print every card, to be computed by others.",
    discussion: """
      Events come late, twice, by wrong clocks and with names that are not allowed. --rows has everything that \
      was sent, a line an event in the order of coming; the output is JSON: each card's numbers.
      """
  )

  @Option(help: "A directory that does not exist yet; removed afterwards.", completion: .directory)
  var directory = "brasa-load-event-cards"
  @Option(help: "About how many events to send.") var events = 1_000_000
  @Option(help: "How many users send them.") var users = 20_000
  @Option(help: "Over how many days.") var days = 40
  @Option(help: "The first day, as 2026-03-01.") var start = "2026-03-01"
  @Option(help: "The project's time zone.") var zone = "UTC"
  @Option(help: "The size of the block cache in megabytes.") var cache = 64
  @Option(help: "A file to write the events to, as CSV.", completion: .file()) var rows: String
  @Option(help: "What all random choices start from.") var seed: UInt64 = 1

  /// Events of a batch, about: 1 to 12, a seventh of them with a wrong name, and batches that come twice.
  private static let batchEvents = 6.5

  func validate() throws {
    try ServerOptions.check("--events", events, 100...1_000_000_000)
    try ServerOptions.check("--users", users, 1...10_000_000)
    try ServerOptions.check("--days", days, 2...400)
    guard EventDay(start) != nil else { throw ValidationError("--start is a day.") }
  }

  func run() async throws {
    guard let first = EventDay(start) else { return }
    guard !FileManager.default.fileExists(atPath: directory) else {
      throw ValidationError("\(directory) exists already.")
    }
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let run = try EventRun(directory: directory, cacheBytes: cache << 20, start: first)
    let batches = max(1, Int(Double(events) / Self.batchEvents))
    let source = RandomEventSource(
      users: users,
      start: Int64(first.number) * EventSource.day,
      days: days,
      batches: batches,
      seed: seed
    )
    let file = try SentEventFile(rows)
    try await run.send(source, batches: batches, zone: zone) { try file.append($0) }
    try file.close()
    let range = try DayRange(first.advanced(by: -2), first.advanced(by: days + 1))
    let asked = (0..<20).map { $0 * users / 20 }
    let cards = try run.cards(range, timelinesOf: asked)
    let differences = try run.verify()
    try run.close()
    guard differences.isEmpty else {
      throw LoadError.refused(differences.joined(separator: "\n"))
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    print(String(decoding: try encoder.encode(cards), as: UTF8.self))
  }
}

/// The file of the events sent, as CSV: the batch's number in the order of coming, received, sent,
/// user, batch number, app, platform, country, version, model, system, language, level, then of the
/// event time, sequence, name, item, stock, session, engaged, engagement, value in millionths; -1
/// stands for no number.
private final class SentEventFile {
  private let handle: FileHandle
  private var text = ""
  private var arrival = 0

  init(_ path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let handle = FileHandle(forWritingAtPath: path)
    else { throw ValidationError("\(path) cannot be written.") }
    self.handle = handle
  }

  func append(_ sent: RandomEventSource.Sent) throws {
    arrival += 1
    let (batch, context) = (sent.batch, sent.batch.context)
    let head =
      "\(arrival),\(sent.received),\(sent.sent),\(batch.instanceID ?? ""),\(batch.number ?? -1),"
      + "\(context.appID),\(context.platform),\(context.country),\(context.appVersion),"
      + "\(context.model),\(context.osVersion),\(context.language),"
      + "\(batch.properties.first?.value ?? ""),"
    for event in batch.events {
      text += head
      text += "\(event.time),\(event.sequence),\(event.name),\(Self.text(event["item_id"])),"
      text += "\(Self.number(event["stock"], -9)),\(Self.number(event["ga_session_id"], -1)),"
      text += "\(Self.number(event["session_engaged"], 0)),"
      text += "\(Self.number(event["engagement_time_msec"], 0)),\(Self.micros(event["value"]))\n"
    }
    if text.utf8.count > 1 << 20 { try flush() }
  }

  func close() throws {
    try flush()
    try handle.close()
  }

  private static func text(_ value: EventValue?) -> String {
    if case .string(let text) = value { text } else { "" }
  }

  private static func number(_ value: EventValue?, _ missing: Int64) -> Int64 {
    if case .integer(let number) = value { number } else { missing }
  }

  private static func micros(_ value: EventValue?) -> Int64 {
    if case .double(let number) = value { Int64((number * 100).rounded()) * 10_000 } else { 0 }
  }

  private func flush() throws {
    try handle.write(contentsOf: Data(text.utf8))
    text = ""
  }
}
