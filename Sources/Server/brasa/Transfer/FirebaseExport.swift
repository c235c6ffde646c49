import BaseJSON
import Foundation

/// The forms in which `brasa export` writes.
enum ExportForm: String, CaseIterable {
  /// Lines of JSON, which have everything.
  case brasa
  /// A managed export of Google's: documents.
  case managed
  /// The emulators' folder: documents, accounts and files.
  case firebase
}

/// One export in a form of Google's.
struct FirebaseExport {
  private let label: DatabaseLabel
  private let data: any Administration
  private let progress: ProgressLine
  private var differences = 0

  /// The version of the emulator whose form the folder has.
  private static let firestoreVersion = "1.21.0"
  private static let commandVersion = "15.18.0"

  /// An export of a database and its project.
  init(_ label: DatabaseLabel, _ data: any Administration, _ progress: ProgressLine) {
    self.label = label
    self.data = data
    self.progress = progress
  }

  /// Writes the database's documents as a managed export to a directory, which is made.
  ///
  /// - Returns: False where something is missing, which was printed.
  mutating func writeManaged(to target: String) throws -> Bool {
    try writeDocuments(to: target, isForEmulator: false)
    return differences == 0
  }

  /// Writes the emulators' folder, which is made; the index comes last.
  ///
  /// - Returns: False where something is missing, which was printed.
  mutating func writeFolder(to target: String) throws -> Bool {
    _ = try ExportDirectory(creating: target)
    let folder = EmulatorFolder.firestore
    try writeDocuments(to: "\(target)/\(folder)", isForEmulator: true)
    let accounts = try EmulatorAccountsSink(creating: "\(target)/\(EmulatorFolder.auth)")
    try write(EmulatorAccounts.kind, to: accounts)
    if accounts.withPassword > 0 {
      progress.print(
        """
        Google's emulator can't check the passwords of \(accounts.withPassword.counting("account")): \
        it has no hashes. Brasa can import them again.
        """
      )
    }
    let files = try EmulatorFilesSink(creating: "\(target)/\(EmulatorFolder.storage)")
    try write(TransferForm.filesKind, to: files)
    if files.leftOut > 0 {
      progress.print("Not exported: \(files.leftOut.counting("older version")) of files.")
    }
    let index = Self.index
    let url = URL(fileURLWithPath: target).appendingPathComponent(EmulatorFolder.index)
    try Data((index.printed() + "\n").utf8).write(to: url, options: .atomic)
    return differences == 0
  }

  private static var index: JSONValue {
    let folder = EmulatorFolder.firestore
    return .object([
      "version": .string(commandVersion),
      "firestore": .object([
        "version": .string(firestoreVersion), "path": .string(folder),
        "metadata_file": .string("\(folder)/\(folder).overall_export_metadata"),
      ]),
      "auth": .object([
        "version": .string(commandVersion), "path": .string(EmulatorFolder.auth),
      ]),
      "storage": .object([
        "version": .string(commandVersion), "path": .string(EmulatorFolder.storage),
      ]),
    ])
  }

  private mutating func writeDocuments(to path: String, isForEmulator: Bool) throws {
    let sink = try ManagedSink(creating: path, isForEmulator: isForEmulator)
    try write(TransferForm.rootKind, to: sink)
    for drop in sink.drops { progress.print("Not exported: \(drop)") }
    differences += sink.drops.count
  }

  private mutating func write(_ kind: String, to sink: any ExportSink) throws {
    var found = 0
    try data.perform(.export(kind: kind, database: label)) { [progress] reply in
      switch reply {
      case .item(let file, let bytes): try sink.take(bytes, of: file)
      case .progress(let done, let total, let unit):
        progress.show(done: done, total: total, unit: unit)
      case .difference(let text):
        found += 1
        progress.print(text)
      case .omission(let text, _): progress.print("Not exported: \(text)")
      case .line(let text), .finished(let text): progress.print(text)
      case .counted, .failed: break
      }
    }
    try sink.close()
    differences += found
  }
}
