import BaseRuntime
import BaseText
import EventAnalytics
import Gzip
import ServiceModule

/// Writes a day's events at the pace of who takes them, a part at a time.
package struct DayExport: Sendable {
  private let analytics: EventAnalytics
  private let threads: EngineThreads
  private let project: Text
  private let day: EventDay

  /// Events of a part, about.
  private static let partEvents = 2_000

  /// The events of a project's day.
  package init(analytics: EventAnalytics, threads: EngineThreads, project: Text, day: EventDay) {
    self.analytics = analytics
    self.threads = threads
    self.project = project
    self.day = day
  }

  /// Writes a gzip of JSON lines.
  package func write(to writer: inout any ServiceBodyWriter) async throws {
    let packer = GzipWriter()
    var next: UInt32? = 0
    while let instance = next {
      let part = try await threads.run(on: .scans) { try self.part(from: instance, packer) }
      if !part.bytes.isEmpty { try await writer.write(part.bytes) }
      next = part.next
    }
    try await writer.write(packer.finish())
  }

  private func part(
    from instance: UInt32,
    _ packer: GzipWriter
  ) throws -> (bytes: [UInt8], next: UInt32?) {
    var lines: [UInt8] = []
    let next = try analytics.export(
      day,
      of: project,
      from: instance,
      atMost: Self.partEvents
    ) { event, isActive in
      lines += Array(event.row(on: day, isActive: isActive).compact.utf8)
      lines.append(UInt8(ascii: "\n"))
    }
    return (packer.pack(lines), next)
  }
}
