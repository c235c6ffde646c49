import ArgumentParser
import BaseStatus
import Foundation
import ManagedExport

/// The documents of a managed export of Google's, or of its emulator, as items of an import: one entity in memory.
final class ManagedSource: ImportSource {
  private let reader: EntityReader
  private let root: URL
  private var files: [URL]
  private var records: ExportRecords?
  private var name = ""
  private(set) var bytesRead = 0
  private(set) var bytesTotal = 0
  private(set) var lineCount = 0
  private(set) var drops: [String] = []
  /// Entities that the export's index names; nil where it does not say.
  let expected: Int?

  /// The index of a directory that is such an export; nil for another directory.
  static func index(in directory: URL) -> URL? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return names.sorted().first { $0.hasSuffix(ExportSummary.ending) }
      .map { directory.appendingPathComponent($0) }
  }

  /// The documents of a directory with its index, for a database.
  ///
  /// - Parameter root: The directory that the operator named; files below it may not be links.
  init(_ directory: URL, index: URL, below root: URL, into label: DatabaseLabel) throws {
    let target = ExportedDatabase(project: label.project, database: label.database)
    reader = EntityReader(into: target)
    self.root = root
    let keys: [URLResourceKey] = [.isRegularFileKey, .fileSizeKey]
    let walk = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: keys)
    var found: [URL] = []
    while let url = walk?.nextObject() as? URL {
      guard url.lastPathComponent.hasPrefix("output-") else { continue }
      found.append(url)
      bytesTotal += try url.resourceValues(forKeys: Set(keys)).fileSize ?? 0
    }
    files = found.sorted { $0.path > $1.path }
    let handle = try PlainFile.open(index, below: root)
    var records = ExportRecords(index.path) { Array(try handle.read(upToCount: $0) ?? Data()) }
    var all: [[UInt8]] = []
    while all.count < 100_000, let record = try records.next() { all.append(record) }
    expected = ExportSummary(all).entities
  }

  /// The project whose documents an export has; nil where it has none.
  func project() throws -> String? {
    while let entity = try nextEntity() {
      if let project = try? EntityReader.project(of: entity), !project.isEmpty { return project }
    }
    return nil
  }

  func next() throws -> [UInt8]? {
    while let entity = try nextEntity() {
      lineCount += 1
      do {
        return try reader.request(entity)
      } catch {
        guard error.code == .invalidArgument else { throw error }
        drops.append("\(name), entity \(lineCount): \(error.message)")
      }
    }
    return nil
  }

  /// The next entity; data behind damage in a file is reported as dropped, and the other files are
  /// read.
  private func nextEntity() throws -> [UInt8]? {
    while true {
      do {
        if let entity = try records?.next() { return entity }
      } catch let error as ServiceError where error.code == .dataLoss {
        drops.append(error.message)
      }
      guard let file = files.popLast() else { return nil }
      let handle = try PlainFile.open(file, below: root)
      name = file.lastPathComponent
      records = ExportRecords(file.path) { [unowned self] count in
        let bytes = Array(try handle.read(upToCount: count) ?? Data())
        self.bytesRead += bytes.count
        return bytes
      }
    }
  }
}
