import EventAnalytics
import FirestoreModel
import KeyValueStore
import ServiceModule
import StorageWire

/// Writes a day's events at the pace of the client, a part at a time.
struct DayExport: Sendable {
  let analytics: EventAnalytics
  let threads: EngineThreads
  let project: Text
  let day: EventDay

  /// Events of a part, about.
  private static let partEvents = 2_000

  func write(to writer: inout any ServiceBodyWriter) async throws {
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
    ) { event in
      lines += Array(event.row(on: day).compact.utf8)
      lines.append(UInt8(ascii: "\n"))
    }
    return (packer.pack(lines), next)
  }
}
