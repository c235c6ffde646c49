import ArgumentParser
import BaseJSON
import Foundation

// The folder that the emulators write with --export-on-exit:
//
//   firebase-export-metadata.json   the index: a version, and for each part its version and path
//   firestore_export/               a managed export (see ExportSummary)
//   auth_export/                    accounts.json, accounts-TENANT.json, config.json
//   storage_export/                 buckets.json {"buckets": [{"id"}]}, metadata/NAME.json and blobs/NAME
//
// Ours has auth_export/passwords.json besides (see EmulatorPasswords).

/// A folder that the emulators wrote, or `brasa export --format firebase`, by its index.
struct EmulatorFolder {
  /// The name of the index.
  static let index = "firebase-export-metadata.json"
  /// The parts, with the names of their folders in an export of ours.
  static let firestore = "firestore_export"
  static let auth = "auth_export"
  static let storage = "storage_export"

  /// The folder of a managed export; nil where there are no documents.
  let documents: URL?
  /// The folder with the accounts; nil where there are none.
  let accounts: URL?
  /// The folder with the files; nil where there are none.
  let files: URL?
  /// Parts that are not read.
  let others: [String]

  /// Returns true if a directory has such an index.
  static func isFolder(_ directory: URL) -> Bool {
    FileManager.default.fileExists(atPath: directory.appendingPathComponent(index).path)
  }

  /// Reads the index of a directory; nil where it has none.
  init?(_ directory: URL) throws {
    let index = directory.appendingPathComponent(Self.index)
    guard let bytes = try PlainFile.contents(of: index, below: directory) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    guard case .object(let members)? = try? JSONValue(parsing: text) else {
      throw ValidationError("\(index.path) is damaged: it is not the JSON of an export.")
    }
    func folder(_ name: String) throws -> URL? {
      guard let path = members.first(where: { $0.key == name })?.value["path"]?.string else {
        return nil
      }
      guard !path.hasPrefix("/"), !path.split(separator: "/").contains("..") else {
        throw ValidationError("\(index.path) names a folder outside of the export: \(path)")
      }
      return directory.appendingPathComponent(path)
    }
    documents = try folder("firestore")
    accounts = try folder("auth")
    files = try folder("storage")
    let known = ["version", "firestore", "auth", "storage"]
    others = members.map(\.key).filter { !known.contains($0) }.sorted()
  }

  /// The documents of the folder; nil where there are none.
  func makeDocuments(below root: URL, into label: DatabaseLabel) throws -> ManagedSource? {
    guard let documents else { return nil }
    guard let index = ManagedSource.index(in: documents) else {
      throw ValidationError("\(documents.path) has no index (*.overall_export_metadata).")
    }
    return try ManagedSource(documents, index: index, below: root, into: label)
  }
}

extension ImportRun {
  /// Reads a managed export, or a folder of the emulators; false where the source is neither.
  mutating func readGoogles() throws -> Bool {
    let root = URL(fileURLWithPath: source, isDirectory: true)
    guard let folder = try EmulatorFolder(root) else {
      guard let index = ManagedSource.index(in: root) else { return false }
      try readManaged(try ManagedSource(root, index: index, below: root, into: label))
      return true
    }
    if let documents = try folder.makeDocuments(below: root, into: label) {
      try readManaged(documents)
    }
    if let accounts = folder.accounts { try readAccounts(accounts, below: root) }
    if let files = folder.files { try readFiles(files, below: root) }
    for other in folder.others {
      progress.print("\(other): this part of the export is not read.")
      tallies.append(KindTally(kind: other, dropped: 1))
    }
    return true
  }

  private mutating func readManaged(_ items: ManagedSource) throws {
    try take(TransferForm.rootKind, items)
    guard let expected = items.expected, let last = tallies.indices.last else { return }
    tallies[last].missing = max(0, expected - items.lineCount)
  }

  private mutating func readFiles(_ folder: URL, below root: URL) throws {
    let kind = TransferForm.filesKind
    guard FileManager.default.fileExists(atPath: folder.path) else {
      tallies.append(KindTally(kind: kind, missing: 1))
      return
    }
    // A link would list as an empty folder.
    try PlainFile.check(directory: folder, below: root)
    try take(kind, try EmulatorFiles(folder, below: root))
  }

  /// The accounts of the emulator, whose own hashes only development takes.
  private mutating func readAccounts(_ folder: URL, below root: URL) throws {
    let kind = EmulatorAccounts.kind
    guard let accounts = try EmulatorAccounts(folder, below: root) else {
      tallies.append(KindTally(kind: kind, missing: 1))
      return
    }
    try take(kind, accounts)
    for loss in accounts.losses { progress.print("\(kind): \(loss)") }
    if let last = tallies.indices.last { tallies[last].dropped += accounts.losses.count }
  }
}
