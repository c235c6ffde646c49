import BaseStatus
import Foundation
import ManagedExport

/// Documents as a managed export of Google's; one of them is in memory at a time.
///
/// The index is written when all documents are on the disk: an export that was cut off has none.
final class ManagedSink: ExportSink {
  private let directory: URL
  private let name: String
  private let writer: EntityWriter
  private let file: FileHandle
  private let started: Int64
  private var records = ExportRecordWriter()
  private(set) var lineCount = 0
  /// The reasons why documents were left out, a sentence each.
  private(set) var drops: [String] = []

  private static let bufferBytes = 1 << 20

  /// An export to a directory, which is made.
  init(creating path: String, isForEmulator: Bool) throws {
    _ = try ExportDirectory(creating: path)
    directory = URL(fileURLWithPath: path, isDirectory: true)
    name = directory.lastPathComponent
    writer = EntityWriter(isForEmulator: isForEmulator)
    started = Self.now()
    let folder = directory.appendingPathComponent(ExportSummary.folder, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let output = folder.appendingPathComponent(ExportSummary.output)
    try Data().write(to: output)
    file = try FileHandle(forWritingTo: output)
  }

  func take(_ item: [UInt8], of file: String) throws {
    do {
      records.append(try writer.entity(item))
      lineCount += 1
    } catch {
      guard error.code == .invalidArgument else { throw error }
      drops.append("\(file): \(error.message)")
    }
    if records.pending.count > Self.bufferBytes { try flush() }
  }

  func close() throws {
    try flush()
    try file.synchronize()
    try file.close()
    let folder = directory.appendingPathComponent(ExportSummary.folder, isDirectory: true)
    let part = ExportSummary.partIndex(name: name, start: started, end: Self.now())
    try Data(part).write(to: folder.appendingPathComponent(ExportSummary.partIndex))
    let index = ExportSummary.index(entities: lineCount, bytes: records.size)
    let url = directory.appendingPathComponent(name + ExportSummary.ending)
    try Data(index).write(to: url, options: .atomic)
  }

  private func flush() throws { try file.write(contentsOf: records.take()) }

  private static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000_000) }
}
