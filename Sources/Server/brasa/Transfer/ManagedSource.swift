import ArgumentParser
import BaseStatus
import Foundation
import ManagedExport

/// The documents of a managed export of Google's, or of its emulator, as items of an import: one entity in memory.
final class ManagedSource: ImportSource {
  private let form: TransferForm
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
    return names.sorted().first { $0.hasSuffix(".overall_export_metadata") }
      .map { directory.appendingPathComponent($0) }
  }

  /// The documents of a directory with its index, for a database.
  ///
  /// - Parameter root: The directory that the operator named; what is below may be no link.
  init(_ directory: URL, index: URL, below root: URL, into label: DatabaseLabel) throws {
    form = TransferForm(kind: TransferForm.rootKind, into: label)
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

  func next() throws -> [UInt8]? {
    while let entity = try nextEntity() {
      lineCount += 1
      do {
        let document = try EntityReader.document(entity)
        return try form.item(document.compactBytes)
      } catch let error as ServiceError where error.code == .invalidArgument {
        drops.append("\(name), entity \(lineCount): \(error.message)")
      }
    }
    return nil
  }

  /// The next entity; what is behind damage in a file is told as dropped, and the other files are read.
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

/// A folder that the emulators wrote with `--export-on-exit`, by its index.
struct EmulatorFolder {
  /// The folder of a managed export; nil where there are no documents.
  let documents: URL?
  /// The file with the accounts; nil where there are none.
  let accounts: URL?
  /// Parts that are not read.
  let others: [String]

  /// Reads the index of a directory; nil where it has none.
  init?(_ directory: URL) throws {
    let index = directory.appendingPathComponent("firebase-export-metadata.json")
    guard let bytes = try PlainFile.contents(of: index, below: directory) else { return nil }
    let json = try JSONSerialization.jsonObject(with: bytes) as? [String: Any] ?? [:]
    func folder(_ name: String) throws -> URL? {
      guard let part = json[name] as? [String: Any], let path = part["path"] as? String else {
        return nil
      }
      guard !path.hasPrefix("/"), !path.split(separator: "/").contains("..") else {
        throw ValidationError("\(index.path) names a folder outside of the export: \(path)")
      }
      return directory.appendingPathComponent(path)
    }
    documents = try folder("firestore")
    accounts = try folder("auth").map { $0.appendingPathComponent("accounts.json") }
    others = json.keys.filter { !["version", "firestore", "auth"].contains($0) }.sorted()
  }
}
