import ArgumentParser
import BaseJSON
import Foundation

/// One run of `brasa import`: reads kinds of data, and says in the end what became of each.
struct ImportRun {
  /// The kind that is read before documents: an override may be what lets a document be stored.
  static let firstKind = "indexes"
  /// The sentence about an export that is not whole.
  static let notWhole = "The export is not whole: it was cut off, or could not read everything."
  /// The folder of an export that has sealed kinds.
  static let secretsFolder = "secrets"
  /// The file of an export that has the private keys of push services.
  static let secretsFile = "secrets.json"

  private let label: DatabaseLabel
  private let source: String
  private let data: DataOptions
  private let manifest: ExportManifest?
  private let progress = ProgressLine()
  private var tallies: [KindTally] = []
  private var sealed: [(kind: String, items: SealedSource)] = []
  private var pushKeys: String?
  private var hasOpenedSecrets = false

  /// An import of a directory into a database and its project.
  init(label: DatabaseLabel, source: String, data: DataOptions, manifest: ExportManifest?) {
    self.label = label
    self.source = source
    self.data = data
    self.manifest = manifest
  }

  // MARK: Secrets

  /// Opens all secrets of those kinds once, so that a wrong passphrase or a damaged file ends the import here.
  mutating func openSecrets(_ kinds: [String], passphrase: String) throws {
    hasOpenedSecrets = true
    let root = URL(fileURLWithPath: source, isDirectory: true)
    let file = root.appendingPathComponent(Self.secretsFile)
    let keys = SealingKeys(passphrase: passphrase)
    for kind in kinds {
      let path = "\(source)/\(Self.secretsFolder)/\(kind)"
      guard FileManager.default.fileExists(atPath: path) else { continue }
      try SealedSource(kind, keys, path, below: source).check()
      sealed.append((kind, try SealedSource(kind, keys, path, below: source)))
    }
    if let bytes = try PlainFile.contents(of: file, below: root) {
      let sealing = SealedSecrets(passphrase: passphrase)
      pushKeys = try sealing.open(String(decoding: bytes, as: UTF8.self))
    }
    guard pushKeys != nil || !sealed.isEmpty else {
      throw ValidationError("There is no file \(file.path), and there are no other secrets.")
    }
    try importPushKeys()
  }

  /// Comes before messages, which then find their keys.
  private func importPushKeys() throws {
    guard let pushKeys else { return }
    try data.perform(.messages(project: label.project, .importSecrets(pushKeys))) { reply in
      if case .finished(let text) = reply { Terminal.print(text) }
    }
  }

  /// Reads the secrets that were opened.
  mutating func readSecrets() throws {
    for (kind, items) in sealed { try take(kind, items, isSealed: true) }
  }

  // MARK: Kinds

  /// Reads a kind; one without files is passed over where there need not be any.
  mutating func read(_ kind: String, mayBeEmpty: Bool) throws {
    let isRoot = kind == TransferForm.rootKind
    let path = isRoot ? source : "\(source)/\(kind)"
    let expected = manifest?.lines(of: kind) ?? 0
    if !isRoot, mayBeEmpty, !FileManager.default.fileExists(atPath: path) {
      if expected > 0 { tallies.append(KindTally(kind: kind, missing: expected)) }
      return
    }
    let form = TransferForm(kind: kind, into: label)
    let isExpectedEmpty = manifest != nil && expected == 0
    let items = try form.makeSource(
      path,
      below: source,
      mayBeEmpty: mayBeEmpty || isExpectedEmpty
    )
    guard let items else {
      if expected > 0 { tallies.append(KindTally(kind: kind, missing: expected)) }
      return
    }
    try take(kind, items, isSealed: false)
  }

  private mutating func take(
    _ kind: String,
    _ items: any ImportSource,
    isSealed: Bool
  ) throws {
    var tally = KindTally(kind: kind)
    try data.perform(
      .import(kind: kind, database: label),
      input: { [progress] in
        progress.show(done: items.bytesRead, total: items.bytesTotal, unit: "byte")
        return try items.next()
      },
      output: { [progress] reply in
        switch reply {
        case .progress(let done, let total, let unit):
          progress.show(done: done, total: total, unit: unit)
        case .difference(let text):
          tally.dropped += 1
          progress.print(text)
        case .counted(let stored, let skipped):
          tally.stored += stored
          tally.skipped += skipped
        case .line(let text), .finished(let text): progress.print(text)
        case .item, .omission, .failed: break
        }
      }
    )
    for drop in items.drops { progress.print("\(kind): \(drop)") }
    tally.dropped += items.drops.count
    let expected = manifest?.lines(of: kind, isSealed: isSealed) ?? 0
    tally.missing = max(0, expected - items.lineCount)
    tallies.append(tally)
  }

  // MARK: Google's exports

  /// Reads a managed export, or a folder of the emulators; false where the source is neither.
  mutating func readGoogles() throws -> Bool {
    let root = URL(fileURLWithPath: source, isDirectory: true)
    guard let folder = try EmulatorFolder(root) else {
      guard let index = ManagedSource.index(in: root) else { return false }
      try readManaged(root, index, below: root)
      return true
    }
    if let documents = folder.documents {
      guard let index = ManagedSource.index(in: documents) else {
        throw ValidationError("\(documents.path) has no index (*.overall_export_metadata).")
      }
      try readManaged(documents, index, below: root)
    }
    if let accounts = folder.accounts { try readAccounts(accounts, below: root) }
    for other in folder.others {
      progress.print("\(other): this part of the export is not read.")
      tallies.append(KindTally(kind: other, dropped: 1))
    }
    return true
  }

  private mutating func readManaged(_ directory: URL, _ index: URL, below root: URL) throws {
    let items = try ManagedSource(directory, index: index, below: root, into: label)
    try take(TransferForm.rootKind, items, isSealed: false)
    guard let expected = items.expected, let last = tallies.indices.last else { return }
    tallies[last].missing = max(0, expected - items.lineCount)
  }

  /// The accounts of the emulator, whose hashes only development takes.
  private mutating func readAccounts(_ file: URL, below root: URL) throws {
    guard let bytes = try PlainFile.contents(of: file, below: root) else {
      tallies.append(KindTally(kind: "accounts", missing: 1))
      return
    }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let users = try JSONValue(parsing: text)["users"]?.elements else {
      throw ValidationError("\(file.path) has no list \"users\".")
    }
    var tally = KindTally(kind: "accounts")
    var next = 0
    try data.perform(
      .users(project: label.project, .import(parameters: "{}")),
      input: {
        guard next < users.count else { return nil }
        defer { next += 1 }
        return Array(users[next].compact.utf8)
      },
      output: { [progress] reply in
        if case .difference(let text) = reply {
          tally.dropped += 1
          progress.print(text)
        }
      }
    )
    tally.stored = users.count - tally.dropped
    tallies.append(tally)
  }

  // MARK: The end

  /// Prints what became of each kind, and ends with 1 where something was dropped or is missing.
  func finish() throws {
    for tally in tallies { progress.print(tally.text) }
    if let manifest {
      for omission in manifest.omissions { progress.print("Not in the export: \(omission)") }
      if !manifest.isComplete {
        progress.print(Self.notWhole)
      }
      let secrets = manifest.kinds.filter { $0.isSealed && $0.lines > 0 }.map(\.kind)
      if !hasOpenedSecrets, !secrets.isEmpty {
        let names = secrets.joined(separator: ", ")
        progress.print("Not imported: the export's secrets (\(names)). Add --with-secrets.")
      }
    }
    let isWhole = manifest?.isComplete ?? true
    if !isWhole || tallies.contains(where: \.hasLoss) { throw ExitCode(1) }
  }
}

/// The outcome of an import of one kind.
private struct KindTally {
  let kind: String
  var stored = 0
  var skipped = 0
  var dropped = 0
  /// Lines that were exported and are not there.
  var missing = 0

  var hasLoss: Bool { dropped + missing > 0 }

  var text: String {
    var parts = ["\(stored + skipped + dropped) read", "\(stored) stored"]
    if skipped > 0 { parts.append("\(skipped) skipped") }
    if dropped > 0 { parts.append("\(dropped) dropped") }
    if missing > 0 {
      let lines = missing.counting("line")
      parts.append("\(lines) of the export missing: files were cut off or deleted")
    }
    return "\(kind): \(parts.joined(separator: ", "))"
  }
}
