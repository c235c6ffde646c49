import Backup
import BaseRuntime
import BaseStatus
import Foundation

/// Brings one project of a backup to a running server, or a directory at rest, as a new project.
///
/// The project alone is restored into a scratch directory beside the data, with its files, and read from there as an export has
/// it, secrets included. Items go from one store to the other: no other copy of them is written. Policies of times to live are
/// left out, as for a database; unique indexes come behind the documents.
struct RestoredProject {
  /// The project in the backup.
  let source: String
  /// The new project.
  let target: String
  let data: DataOptions
  let threads: EngineThreads
  /// True if users who were removed or disabled after the instant come back.
  let withAccess: Bool
  let progress: SharedProgress

  private static let omissions = """
    Not restored: sites, functions, subscriptions to events, registrations of push, sessions, service accounts' keys. \
    Deploy sites and functions again.
    """
  private static let eventsKind = "events"

  /// Restores the project; returns the number of items that were not taken over.
  func run(from archive: BackupArchive, _ point: RestorePoint) async throws -> Int {
    guard source != target else {
      throw CommandFailure("Name another id than \(source) with --as-project.")
    }
    let lock = RestoreLock()
    guard try lock.take("\(data.directory)/project-restore.lock", isMade: true) else {
      throw CommandFailure(
        "Another command restores a project into \(data.directory). Wait until it is done."
      )
    }
    defer { withExtendedLifetime(lock) {} }
    let note = try noteOfPart()
    var restored = RestoredDirectory(
      path: RestoreLeftovers.scratch(in: data.directory),
      keepsSessions: withAccess,
      threads: threads,
      isScratch: true
    )
    restored.project = source
    defer { try? restored.remove() }
    let outcome = try await restored.make(from: archive, point, tell: { progress.print($0) }) {
      [progress] in progress.show(done: $0 >> 20, total: nil, unit: "megabyte")
    }
    progress.print("read up to \(BackupRestore.text(outcome.lastVersion))")
    for blob in outcome.missingBlobs {
      progress.print(
        "The backup does not have the bytes of the file \(blob), which was removed soon after."
      )
    }
    let differences = try await restored.verify { [progress] in progress.print($0) }
    let directory = restored.unfinished
    let dropped = try await threads.run(on: .maintenance) {
      try begin(note, outcome.lastVersion)
      var dropped = 0
      try LocalAdministration.withStore(in: directory, .directory, files: .local) { local in
        dropped = try copy(from: local)
      }
      try ProjectRestoreNote.remove(target, in: data.directory)
      return dropped
    }
    progress.print(Self.omissions)
    return differences + dropped
  }

  // MARK: The new project

  /// The note about a part of the project that is there; nil where there is nothing of it.
  ///
  /// Throws where the project is there and whole.
  private func noteOfPart() throws -> ProjectRestoreNote? {
    let note = try ProjectRestoreNote.read(target, in: data.directory)
    do {
      // Before anything is read; the id is taken when there is something to write.
      try take(isTrial: true)
      // A part that was there has been deleted.
      return nil
    } catch is TakenProject where note != nil {
      return note
    }
  }

  private func take(isTrial: Bool) throws {
    do {
      try data.perform(.restore(.takeProject(target, isTrial: isTrial))) { _ in }
    } catch ControlError.refused(StatusCode.alreadyExists.rawValue, let message) {
      throw TakenProject(message: "\(message) Name another id with --as-project.")
    }
  }

  /// Takes the project's id, or goes on where the same restore was cut off.
  private func begin(_ note: ProjectRestoreNote?, _ version: Int64) throws {
    guard let note else {
      try take(isTrial: false)
      try ProjectRestoreNote(source: source, version: version).write(target, in: data.directory)
      return progress.print(
        "If this is cut off, run the same command with --before-commit \(version + 1)."
      )
    }
    guard note.source == source, note.version == version else {
      throw CommandFailure(
        """
        The project \(target) is there in part: its restore from \(note.source) was cut off. Go on with --project \
        \(note.source) --before-commit \(note.version + 1), or name another id with --as-project.
        """
      )
    }
    progress.print("goes on with the restore that was cut off")
  }

  // MARK: Items

  private func copy(from local: LocalAdministration) throws -> Int {
    var dropped = 0
    for database in try databases(of: source, in: local) {
      dropped += try copyDatabase(database, from: local)
    }
    var (kinds, secrets) = ([String](), [String]())
    try local.perform(.listTransfers) { if case .line(let kind) = $0 { kinds.append(kind) } }
    try local.perform(.listSecrets) { if case .item(let kind, _) = $0 { secrets.append(kind) } }
    kinds.removeAll { [TransferForm.rootKind, ImportRun.firstKind].contains($0) }
    // Messages find their keys.
    try copyPushKeys(from: local)
    let (from, to) = (label(source), label(target))
    for kind in kinds where kind != Self.eventsKind {
      dropped += try copy(kind, of: from, into: to, from: local)
    }
    for kind in secrets { dropped += try copy(kind, of: from, into: to, from: local) }
    return try dropped + copyEvents(of: from, into: to, from: local)
  }

  private func label(_ project: String) -> DatabaseLabel {
    DatabaseLabel(project: project, database: "(default)")
  }

  /// The ids of a project's databases.
  private func databases(
    of project: String,
    in administration: some Administration
  ) throws -> [String] {
    let start = "projects/\(project)/databases/"
    var found: [String] = []
    try administration.perform(.listDatabases) { reply in
      guard case .line(let path) = reply, path.hasPrefix(start) else { return }
      found.append(String(path.dropFirst(start.count)))
    }
    return found
  }

  private func copyDatabase(_ database: String, from local: LocalAdministration) throws -> Int {
    let from = DatabaseLabel(project: source, database: database)
    let to = DatabaseLabel(project: target, database: database)
    if try !databases(of: target, in: data).contains(database) {
      try data.perform(.createDatabase(to)) { _ in }
    }
    let indexes = ImportRun.firstKind
    var dropped = try copy(indexes, of: from, into: to, from: local) { line in
      guard try !RestoredDatabase.isUnique(line) else { return nil }
      let kept = try RestoredDatabase.withoutTimesToLive(line)
      if kept.count != line.count {
        progress.print(
          "\(database): a time to live is left out: \(String(decoding: line, as: UTF8.self))"
        )
      }
      return kept
    }
    let form = TransferForm(kind: TransferForm.rootKind, into: to)
    dropped += try copy(TransferForm.rootKind, of: from, into: to, from: local) {
      try form.item(form.line($0))
    }
    return try dropped
      + copy(indexes, of: from, into: to, from: local) { line in
        try RestoredDatabase.isUnique(line) ? line : nil
      }
  }

  private func copyPushKeys(from local: LocalAdministration) throws {
    var secrets: String?
    try local.perform(.messages(project: source, .exportSecrets)) { reply in
      if case .line(let text) = reply { secrets = text }
    }
    guard let secrets else { return }
    try data.perform(.messages(project: target, .importSecrets(secrets))) { _ in }
  }

  /// Events come last: those that were added cannot be told from others, so that they are added once only.
  private func copyEvents(
    of from: DatabaseLabel,
    into to: DatabaseLabel,
    from local: LocalAdministration
  ) throws -> Int {
    guard var note = try ProjectRestoreNote.read(target, in: data.directory) else { return 0 }
    guard !note.hasEvents else {
      progress.print(
        "events: a part of them may be missing, since the restore was cut off when it added them."
      )
      return 1
    }
    note.hasEvents = true
    try note.write(target, in: data.directory)
    return try copy(Self.eventsKind, of: from, into: to, from: local)
  }

  /// Copies the items of a kind; returns the number of those that were not stored.
  ///
  /// - Parameter item: The item to store for one that was read; nil leaves it out.
  private func copy(
    _ kind: String,
    of from: DatabaseLabel,
    into to: DatabaseLabel,
    from local: LocalAdministration,
    item: ([UInt8]) throws -> [UInt8]? = { $0 }
  ) throws -> Int {
    var tally = KindTally(kind: kind)
    let pipe = ItemPipe()
    read(kind, of: from, in: local, into: pipe)
    defer { pipe.cancel() }
    var count = 0
    func next() throws -> [UInt8]? {
      while let read = try pipe.next() {
        count += 1
        progress.show(
          done: count,
          total: nil,
          unit: kind == TransferForm.rootKind ? "document" : "item"
        )
        do {
          if let item = try item(read) { return item }
        } catch let error as ServiceError where error.code == .invalidArgument {
          tally.dropped += 1
          progress.print("\(kind): \(error.message)")
        }
      }
      return nil
    }
    try data.perform(.import(kind: kind, database: to), input: next) { reply in
      switch reply {
      case .difference(let text):
        tally.dropped += 1
        progress.print("\(kind): \(text)")
      case .counted(let stored, let skipped):
        tally.stored += stored
        tally.skipped += skipped
      case .line, .finished, .progress, .item, .omission, .failed: break
      }
    }
    tally.dropped += pipe.losses
    let name = kind == TransferForm.rootKind ? " of \(to.database)" : ""
    if tally.stored + tally.skipped + tally.dropped > 0 { progress.print(tally.text + name) }
    return tally.dropped
  }

  /// Reads the items of a kind on a thread of its own.
  private func read(
    _ kind: String,
    of label: DatabaseLabel,
    in local: LocalAdministration,
    into pipe: ItemPipe
  ) {
    let progress = progress
    let thread = Thread {
      do {
        try local.perform(.export(kind: kind, database: label)) { reply in
          switch reply {
          case .item(_, let bytes): try pipe.put(bytes)
          case .difference(let text):
            pipe.lose()
            progress.print("\(kind): \(text)")
          // A secret comes with its own kind.
          case .omission(let text, secret: nil): progress.print("Not restored: \(text)")
          case .line, .progress, .omission, .counted, .finished, .failed: break
          }
        }
        pipe.finish()
      } catch {
        pipe.finish(error)
      }
    }
    thread.name = "export"
    // Rules and documents are evaluated recursively.
    thread.stackSize = 4 << 20
    thread.start()
  }
}

/// The failure of a restore as a project that the server has.
private struct TakenProject: Error, CustomStringConvertible {
  let message: String

  var description: String { message }
}
