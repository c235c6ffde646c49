import Backup
import BaseJSON
import BaseRuntime
import Foundation

/// Brings one database of a backup to a running server, or a directory at rest, under another id.
///
/// The engines are restored into a scratch directory beside the data; documents and index definitions are read from there as an
/// export has them. Policies of times to live are left out, so that what they deleted stays there to be looked at. Unique indexes
/// come behind the documents, which may have duplicates that the index was to find.
struct RestoredDatabase {
  let source: DatabaseLabel
  let target: DatabaseLabel
  let data: DataOptions
  let threads: EngineThreads
  /// The version at which the restore began of a database that is there already, and empty or filled in part; nil where it is to
  /// be made.
  let start: Int64?
  let progress: SharedProgress

  private static let kinds = [ImportRun.firstKind, TransferForm.rootKind]
  /// The folder of the definitions of unique indexes.
  private static let uniqueFolder = "unique-indexes"

  /// Restores the database; returns the number of items that were not taken over.
  func run(from archive: BackupArchive, _ point: RestorePoint) async throws -> Int {
    try checkTarget()
    let restored = RestoredDirectory(
      path: RestoreLeftovers.scratch(in: data.directory),
      keepsSessions: true,
      threads: threads,
      isScratch: true,
      hasEnginesAlone: true
    )
    defer { try? restored.remove() }
    let outcome = try await restored.make(from: archive, point) { [progress] in
      progress.show(done: $0 >> 20, total: nil, unit: "megabyte")
    }
    progress.print("read up to \(BackupRestore.text(outcome.lastVersion))")
    return try await threads.run(on: .maintenance) {
      try export(from: restored.unfinished)
      if start == nil { try data.perform(.createDatabase(target)) { _ in } }
      let steps =
        Self.kinds.map { (kind: $0, folder: $0) } + [(ImportRun.firstKind, Self.uniqueFolder)]
      return try steps.reduce(0) {
        try $0 + importItems($1.kind, in: $1.folder, from: restored.unfinished)
      }
    }
  }

  /// Throws before anything is read where the new id is taken.
  private func checkTarget() throws {
    guard start == nil else { return }
    try data.perform(.listDatabases) { reply in
      guard case .line(target.id.path) = reply else { return }
      throw CommandFailure(
        "The database \(target.database) already exists. Name another one with --as."
      )
    }
  }

  private static func folder(_ name: String, in directory: String) -> String {
    "\(directory)/transfer/\(name)"
  }

  private func export(from directory: String) throws {
    try LocalAdministration.withStore(in: directory, .directory, files: .local) { local in
      for kind in Self.kinds {
        let form = TransferForm(kind: kind)
        let isIndex = kind == ImportRun.firstKind
        let sink = try form.makeSink(Self.folder(kind, in: directory))
        let unique =
          isIndex ? try form.makeSink(Self.folder(Self.uniqueFolder, in: directory)) : sink
        try local.perform(.export(kind: kind, database: source), input: { nil }) { reply in
          switch reply {
          case .item(let file, let bytes):
            if isIndex, try Self.isUnique(bytes) {
              try unique.take(bytes, of: file)
            } else {
              try sink.take(isIndex ? Self.withoutTimesToLive(bytes) : bytes, of: file)
            }
          case .progress(let done, let total, let unit):
            progress.show(done: done, total: total, unit: unit)
          case .line, .finished, .difference, .omission, .counted, .failed: break
          }
        }
        try sink.close()
        if isIndex { try unique.close() }
      }
    }
  }

  /// True for a `firestore.indexes.json` with a unique index.
  static func isUnique(_ bytes: [UInt8]) throws -> Bool {
    guard case .object(let members) = try JSONParser.parse(bytes),
      case .array(let indexes)? = members.first(where: { $0.key == "indexes" })?.value
    else { return false }
    return indexes.contains { index in
      guard case .object(let parts) = index else { return false }
      return parts.contains { $0.key == "unique" && $0.value == .boolean(true) }
    }
  }

  /// The definitions of a `firestore.indexes.json` without times to live.
  static func withoutTimesToLive(_ bytes: [UInt8]) throws -> [UInt8] {
    guard case .object(var members) = try JSONParser.parse(bytes) else { return bytes }
    for index in members.indices where members[index].key == "fieldOverrides" {
      guard case .array(let overrides) = members[index].value else { continue }
      members[index].value = .array(
        overrides.map { override in
          guard case .object(let parts) = override else { return override }
          return .object(parts.filter { $0.key != "ttl" && $0.key != "ttlOffset" })
        }
      )
    }
    return JSONValue.object(members).compactBytes
  }

  private func importItems(
    _ kind: String,
    in folder: String,
    from directory: String
  ) throws -> Int {
    let path = Self.folder(folder, in: directory)
    let form = TransferForm(kind: kind, into: target)
    guard let items = try form.makeSource(path, below: path, mayBeEmpty: true) else { return 0 }
    var dropped = 0
    let request: AdministrationRequest =
      start.map { .restore(.fill(kind: kind, database: target, since: $0)) }
      ?? .import(kind: kind, database: target)
    try data.perform(request) { [progress] in
      progress.show(done: items.bytesRead, total: items.bytesTotal, unit: "byte")
      return try items.next()
    } output: { reply in
      switch reply {
      case .difference(let text):
        dropped += 1
        progress.print(text)
      case .line(let text), .finished(let text): progress.print(text)
      case .progress, .item, .omission, .counted, .failed: break
      }
    }
    for drop in items.drops { progress.print("\(kind): \(drop)") }
    return dropped + items.drops.count
  }
}
