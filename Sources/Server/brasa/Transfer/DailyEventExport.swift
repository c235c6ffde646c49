import AnalyticsAPI
import BaseRuntime
import BaseText
import EventAnalytics
import Foundation
import ServiceModule

/// Writes the events of every day that is over to a file, as `brasa analytics export` does.
///
/// A project has a directory, a day one file, which has its name when it is whole. While late
/// events may still arrive, for three days, the file is rewritten once a day. Its own time shows
/// which events it covers, so nothing else is kept, and a round after a stop does the missing work.
struct DailyEventExport: Sendable {
  let analytics: EventAnalytics
  let threads: EngineThreads
  let directory: URL
  /// Receives the outcome of each round: an error, or nil.
  let report: @Sendable ((any Error)?) -> Void

  /// Days in which late events may come, with the one on which they are over.
  private static let lateDays = 4
  private static let pause = Duration.seconds(600)
  /// The pause after a round that failed.
  private static let retry = Duration.seconds(10)

  /// Looks again and again; ends when the task is cancelled.
  func run() async throws {
    while true {
      var pause = Self.pause
      do {
        try await round()
        report(nil)
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        report(error)
        pause = Self.retry
      }
      try await Task.sleep(for: pause)
    }
  }

  /// Writes missing or incomplete files.
  func round() async throws {
    for project in analytics.projects {
      let days = try await threads.run(on: .scans) { try analytics.daysWithEvents(of: project) }
      let today = analytics.today(of: project)
      for day in days {
        if try isDue(day, of: project, today: today) { try await write(day, of: project) }
      }
    }
  }

  private func isDue(_ day: EventDay, of project: Text, today: EventDay) throws -> Bool {
    guard day < today else { return false }
    let path = file(day, of: project).path
    guard FileManager.default.fileExists(atPath: path) else { return true }
    guard day >= today.advanced(by: -Self.lateDays) else { return false }
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    guard let written = attributes[.modificationDate] as? Date else { return true }
    let micros = Int64(written.timeIntervalSince1970 * 1_000_000)
    return analytics.day(of: micros, in: project) < today
  }

  private func write(_ day: EventDay, of project: Text) async throws {
    let file = file(day, of: project)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    let part = file.appendingPathExtension("part")
    let export = DayExport(analytics: analytics, threads: threads, project: project, day: day)
    var writer: any ServiceBodyWriter = try FileBodyWriter(part)
    try await export.write(to: &writer)
    try (writer as? FileBodyWriter)?.close()
    guard rename(part.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  private func file(_ day: EventDay, of project: Text) -> URL {
    directory.appendingPathComponent(Self.folder(project.string), isDirectory: true)
      .appendingPathComponent("events_\(day.compactText).json.gz")
  }

  /// A project's ID as the name of a folder; any character but a letter, digit, hyphen or
  /// underscore is escaped.
  static func folder(_ project: String) -> String {
    project.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        String(UnicodeScalar(byte))
      default: "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
      }
    }.joined()
  }
}

/// Writes a body to a file that only its owner reads.
private struct FileBodyWriter: ServiceBodyWriter {
  private let handle: FileHandle

  init(_ file: URL) throws {
    let isMade = FileManager.default.createFile(
      atPath: file.path,
      contents: nil,
      attributes: [.posixPermissions: 0o600]
    )
    guard isMade else { throw CocoaError(.fileWriteUnknown) }
    handle = try FileHandle(forWritingTo: file)
  }

  mutating func write(_ bytes: [UInt8]) async throws { try handle.write(contentsOf: Data(bytes)) }

  /// Ends the file, which is on the disk then.
  func close() throws {
    try handle.synchronize()
    try handle.close()
  }
}
