import ArgumentParser
import BaseJSON
import BaseText
import Checksums
import ForeignExports
import Foundation
import StorageAPI

extension ImportRun {
  /// Reads PocketBase's data folder: accounts, documents and files.
  mutating func readPocketBase(_ root: URL) throws {
    let folder = try PocketBaseFolder(root.path)
    let target = ForeignDatabase(project: label.project, database: label.database)
    let records = PocketBaseRecords(folder, into: target)
    try take(EmulatorAccounts.kind, PocketBaseAccounts(folder, records))
    try take(TransferForm.rootKind, PocketBaseDocuments(folder, records))
    try take(
      TransferForm.filesKind,
      PocketBaseFiles(folder, records, root, bucket: "\(label.project).appspot.com")
    )
    for collection in folder.collections {
      if let view = collection.view {
        progress.print("Not imported: the view \(collection.name): \(Self.line(view))")
      }
      progress.print("Rules to write by hand: \(collection.rulesText)")
    }
    let administrators = try folder.administratorCount()
    if administrators > 0 {
      progress.print(
        "Not imported: \(administrators.counting("superuser")). Invite them with brasa console."
      )
    }
  }

  private static func line(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}

/// The records of a PocketBase folder, one collection after the other.
private struct RecordWalk {
  private let folder: PocketBaseFolder
  private var collections: ArraySlice<PocketBaseCollection>
  private var rows: SQLiteRows?
  private(set) var collection: PocketBaseCollection?
  private(set) var count = 0
  let total: Int

  init(_ folder: PocketBaseFolder, where isWanted: (PocketBaseCollection) -> Bool) throws {
    self.folder = folder
    collections = folder.collections.filter { $0.view == nil && isWanted($0) }[...]
    total = try collections.reduce(0) { try $0 + folder.count(of: $1) }
  }

  mutating func next() throws -> (PocketBaseCollection, [String: SQLiteValue])? {
    while true {
      if let rows, let collection, try rows.next() {
        count += 1
        return (collection, rows.row())
      }
      guard let next = collections.popFirst() else { return nil }
      collection = next
      rows = try folder.records(of: next)
    }
  }
}

/// PocketBase's records as documents.
private final class PocketBaseDocuments: ImportSource {
  private let records: PocketBaseRecords
  private let form = TransferForm(kind: TransferForm.rootKind)
  private var walk: RecordWalk
  private var notes = ChangeNotes()
  private(set) var drops: [String] = []

  init(_ folder: PocketBaseFolder, _ records: PocketBaseRecords) throws {
    self.records = records
    walk = try RecordWalk(folder) { _ in true }
  }

  var bytesRead: Int { walk.count }
  var bytesTotal: Int { walk.total }
  var unit: String { "record" }
  var lineCount: Int { walk.count }
  var changes: (count: Int, lines: [String]) { (notes.count, notes.lines) }

  func next() throws -> [UInt8]? {
    while let (collection, row) = try walk.next() {
      do {
        return try form.item(try records.document(row, of: collection, notes: &notes))
      } catch let error as ExportFailure {
        drops.append("\(collection.name): \(error.description)")
      } catch {
        guard let reason = ForeignItem.reason(error) else { throw error }
        drops.append("\(collection.name)/\(row["id"]?.text ?? "?"): \(reason)")
      }
    }
    return nil
  }
}

/// The records of PocketBase's auth collections as accounts.
private final class PocketBaseAccounts: ImportSource {
  private let records: PocketBaseRecords
  private var walk: RecordWalk
  private var notes = ChangeNotes()
  private var claimed = ClaimedNames()
  private var hasSentParameters = false
  private(set) var drops: [String] = []

  init(_ folder: PocketBaseFolder, _ records: PocketBaseRecords) throws {
    self.records = records
    walk = try RecordWalk(folder, where: \.isOfAccounts)
  }

  var bytesRead: Int { walk.count }
  var bytesTotal: Int { walk.total }
  var unit: String { "account" }
  var lineCount: Int { walk.count }
  var changes: (count: Int, lines: [String]) { (notes.count, notes.lines) }

  func next() throws -> [UInt8]? {
    if !hasSentParameters {
      hasSentParameters = true
      return PocketBaseRecords.passwordParameters.compactBytes
    }
    while let (collection, row) = try walk.next() {
      do {
        let account = try records.account(row, of: collection, notes: &notes)
        guard let refusal = claimed.refusal(of: account) else { return account.compactBytes }
        drops.append(refusal)
      } catch {
        drops.append("\(collection.name): \(error.description)")
      }
    }
    return nil
  }
}

/// The files of PocketBase's records as objects; a part of one file is in memory at a time.
private final class PocketBaseFiles: ImportSource {
  private let records: PocketBaseRecords
  private let root: URL
  private let bucket: String
  private var walk: RecordWalk
  private var waiting: ArraySlice<(object: String, url: URL)> = []
  private var current: (file: FileHandle, crc: CRC32C)?
  private var hasSentBucket = false
  private(set) var lineCount = 0
  private(set) var drops: [String] = []

  init(
    _ folder: PocketBaseFolder,
    _ records: PocketBaseRecords,
    _ root: URL,
    bucket: String
  ) throws {
    self.records = records
    self.root = root
    self.bucket = bucket
    walk = try RecordWalk(folder, where: \.hasFiles)
  }

  var bytesRead: Int { walk.count }
  var bytesTotal: Int { walk.total }
  var unit: String { "record" }

  func next() throws -> [UInt8]? {
    if let current { return try part(of: current.file) }
    while true {
      while let (object, url) = waiting.popFirst() {
        lineCount += 1
        do {
          return try open(object, url)
        } catch let refusal as ValidationError {
          drops.append("\(object): \(refusal.message)")
        }
      }
      guard let (collection, row) = try walk.next() else { return nil }
      do {
        let (id, names) = try records.files(row, of: collection)
        waiting =
          names.map { name -> (object: String, url: URL) in
            let url = [PocketBaseFolder.storage, collection.id, id, name]
              .reduce(root) { $0.appendingPathComponent($1) }
            return (object: "\(collection.name)/\(id)/\(name)", url: url)
          }[...]
      } catch {
        drops.append("\(collection.name): \(error.description)")
      }
      if !waiting.isEmpty, !hasSentBucket {
        hasSentBucket = true
        let line = JSONValue.object(["bucket": .string(bucket)]).compactBytes
        return FileItem.line(line).encoded
      }
    }
  }

  private func open(_ object: String, _ url: URL) throws -> [UInt8] {
    let name = url.lastPathComponent
    guard object.split(separator: "/", omittingEmptySubsequences: false).count == 3,
      object.hasSuffix("/" + name), !name.hasPrefix(".")
    else {
      throw ValidationError("its name is not a valid file name.")
    }
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw ValidationError("the file is not in the folder \(PocketBaseFolder.storage).")
    }
    let file = try PlainFile.open(url, below: root)
    let facts = try EmulatorFiles.facts(of: file)
    try file.seek(toOffset: 0)
    current = (file, CRC32C())
    let attributes = try Self.attributes(of: url, below: root)
    let type =
      attributes?["user.content_type"]?.string
      ?? ContentTypes.type(ofEnding: url.pathExtension)
    var metadata: [JSONValue.Member] = []
    for member in attributes?["user.metadata"]?.members ?? [] where member.value.string != nil {
      metadata.append(.init(member.key, member.value))
    }
    let modified = try url.resourceValues(forKeys: [.contentModificationDateKey])
      .contentModificationDate
    let time = modified.map { ISO8601DateFormatter().string(from: $0) }
    let json = JSONValue.object([
      "contentType": .string(type), "customMetadata": .object(metadata),
      "timeCreated": time.map(JSONValue.string) ?? .null,
    ])
    return FileItem.line(EmulatorFiles.line(json, name: object, bucket: bucket, facts)).encoded
  }

  /// The `FILE.attrs` beside a file; nil where there is none that can be read.
  private static func attributes(of url: URL, below root: URL) throws -> JSONValue? {
    let place = url.deletingLastPathComponent()
      .appendingPathComponent(url.lastPathComponent + ".attrs")
    guard let bytes = try PlainFile.contents(of: place, below: root), bytes.count <= 1 << 20 else {
      return nil
    }
    return try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
  }

  private func part(of file: FileHandle) throws -> [UInt8] {
    guard let part = try file.read(upToCount: EmulatorFiles.partBytes), !part.isEmpty else {
      let crc = current?.crc ?? CRC32C()
      try file.close()
      current = nil
      return FileItem.end(crc32c: crc.value).encoded
    }
    current?.crc.update(Array(part))
    return FileItem.bytes(Array(part)).encoded
  }
}
