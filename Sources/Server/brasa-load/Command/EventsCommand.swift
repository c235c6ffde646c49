import ArgumentParser
import EventAnalytics
import Foundation

/// The command `brasa-load events`.
struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Take, count and ask for events in this process, without a network.",
    discussion: """
      Every batch of 25 is durable when it counts. The last line is JSON with each report's time and \
      numbers; --rows writes the events for others to be asked the same.
      """
  )

  @Option(help: "A directory that does not exist yet; removed afterwards.", completion: .directory)
  var directory = "brasa-load-events"
  @Option(help: "How many events to send.") var events = 1_000_000
  @Option(help: "How many users send them.") var users = 50_000
  @Option(help: "Over how many days.") var days = 30
  @Option(help: "How many batches wait for their answer at once.") var callers = 64
  @Option(help: "The size of the block cache in megabytes.") var cache = 64
  @Option(help: "A file to write the events to, as CSV.", completion: .file()) var rows: String?
  @Option(help: "What all random choices start from.") var seed: UInt64 = 1

  func validate() throws {
    try ServerOptions.check("--events", events, 25...1_000_000_000)
    try ServerOptions.check("--users", users, 1...100_000_000)
    try ServerOptions.check("--days", days, 2...700)
    try ServerOptions.check("--callers", callers, 1...10_000)
    try ServerOptions.check("--cache", cache, 1...1_048_576)
  }

  func run() async throws {
    guard !FileManager.default.fileExists(atPath: directory) else {
      throw ValidationError("\(directory) exists already.")
    }
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let start = EventDay(20_000)
    let load = try EventRun(directory: directory, cacheBytes: cache << 20, start: start)
    let file = try rows.map { try EventRowFile($0) }
    let source = EventSource(users: users, days: days, start: start, seed: seed)
    let times = try await load.fill(source, events: events, callers: callers) { batch in
      try file?.append(batch)
    }
    try file?.close()
    let bytes = try load.settle()
    let answers = try load.reports(last: start.advanced(by: days - 1), days: days)
    try load.close()
    print(
      """
      events: \(events) of \(users) users over \(days) days, batches of 25, \(callers) at a time
      taken: \(Int(Double(events) / times.acknowledged))/s, durable; \
      counted: \(Int(Double(events) / times.counted))/s
      on disk: \((bytes.tables + bytes.rest) / events) bytes an event
      of these in tables: \(bytes.tables / events) bytes an event, \(bytes.unmerged / events) before they were \
      merged; log and the like: \(bytes.rest >> 20) MB
      """
    )
    for answer in answers {
      print("\(answer.name): \(Report.milliseconds(Int64(answer.seconds * 1e9)))")
    }
    let reports = Dictionary(
      uniqueKeysWithValues: answers.map {
        ($0.name, EventReport(seconds: $0.seconds, numbers: $0.numbers))
      }
    )
    print(String(decoding: try JSONEncoder().encode(reports), as: UTF8.self))
  }
}

/// A report in the last line of the output.
private struct EventReport: Codable {
  let seconds: Double
  let numbers: [String: [Int]]
}

/// The events of a run as CSV: user, time, sequence, name, country, item, engagement.
private final class EventRowFile {
  private let handle: FileHandle
  private var text = ""

  init(_ path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let handle = FileHandle(forWritingAtPath: path)
    else { throw ValidationError("\(path) cannot be written.") }
    self.handle = handle
  }

  func append(_ batch: EventBatch) throws {
    for event in batch.events {
      var (item, engagement) = ("", 0 as Int64)
      if case .string(let text) = event["item_id"] { item = text }
      if case .integer(let millis) = event["engagement_time_msec"] { engagement = millis }
      let user = batch.instanceID ?? ""
      text +=
        "\(user),\(event.time),\(event.sequence),\(event.name),\(batch.context.country),"
        + "\(item),\(engagement)\n"
    }
    guard text.utf8.count > 1 << 20 else { return }
    try flush()
  }

  func close() throws {
    try flush()
    try handle.close()
  }

  private func flush() throws {
    try handle.write(contentsOf: Data(text.utf8))
    text = ""
  }
}
