import Backup
import BaseJSON
import BaseRuntime
import Foundation

/// Brings one database of a backup to a running server, or a directory at rest, under another id.
///
/// The engines are restored into a scratch directory beside the data; documents and index definitions are read from there as an
/// export has them. Policies of times to live are left out, so that what they deleted stays there to be looked at.
struct RestoredDatabase {
  let source: DatabaseLabel
  let target: DatabaseLabel
  let data: DataOptions
  let threads: EngineThreads
  /// True where the new database is there already, and empty.
  let isMade: Bool
  let progress: SharedProgress

  private static let kinds = [ImportRun.firstKind, TransferForm.rootKind]

  private var scratch: String {
    "\(data.directory)/\(Self.prefix)\(ProcessInfo.processInfo.processIdentifier)"
  }

  private static let prefix = "restore-"

  /// Removes what restores of processes that were killed left in a data directory: all that the backup holds, as plain files.
  static func removeLeftovers(in directory: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
      guard name.hasPrefix(prefix), name.hasSuffix(RestoredDirectory.ending),
        let process = pid_t(name.dropFirst(prefix.count).dropLast(RestoredDirectory.ending.count)),
        process > 0, kill(process, 0) != 0, errno == ESRCH
      else { continue }
      try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
    }
  }

  /// Restores the database; returns the number of items that were not taken over.
  func run(from archive: BackupArchive, _ point: RestorePoint) async throws -> Int {
    try checkTarget()
    let restored = RestoredDirectory(
      path: scratch,
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
      if !isMade { try data.perform(.createDatabase(target)) { _ in } }
      return try Self.kinds.reduce(0) { try $0 + importItems($1, from: restored.unfinished) }
    }
  }

  /// Throws before anything is read where the new id is taken.
  private func checkTarget() throws {
    guard !isMade else { return }
    try data.perform(.listDatabases) { reply in
      guard case .line(target.id.path) = reply else { return }
      throw CommandFailure(
        "There is a database \(target.database) already. Name another one with --as."
      )
    }
  }

  private static func folder(_ kind: String, in directory: String) -> String {
    "\(directory)/transfer/\(kind)"
  }

  private func export(from directory: String) throws {
    try LocalAdministration.withStore(in: directory, .directory, files: .local) { local in
      for kind in Self.kinds {
        let sink = try TransferForm(kind: kind).makeSink(Self.folder(kind, in: directory))
        try local.perform(.export(kind: kind, database: source), input: { nil }) { reply in
          switch reply {
          case .item(let file, let bytes):
            let isIndex = kind == ImportRun.firstKind
            try sink.take(isIndex ? Self.withoutTimesToLive(bytes) : bytes, of: file)
          case .progress(let done, let total, let unit):
            progress.show(done: done, total: total, unit: unit)
          case .line, .finished, .difference, .omission, .counted, .failed: break
          }
        }
        try sink.close()
      }
    }
  }

  /// The definitions of a `firestore.indexes.json` without times to live.
  private static func withoutTimesToLive(_ bytes: [UInt8]) throws -> [UInt8] {
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

  private func importItems(_ kind: String, from directory: String) throws -> Int {
    let path = Self.folder(kind, in: directory)
    let form = TransferForm(kind: kind, into: target)
    guard let items = try form.makeSource(path, below: path, mayBeEmpty: true) else { return 0 }
    var dropped = 0
    try data.perform(.import(kind: kind, database: target)) { [progress] in
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
