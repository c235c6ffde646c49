import ArgumentParser
import Foundation

/// One run of `brasa import`: reads kinds of data, and says in the end what became of each.
struct ImportRun {
  /// The kind that is read before documents: an override may be what lets a document be stored.
  static let firstKind = "indexes"
  /// The sentence about an export that is not whole.
  static let notWhole =
    "The export is incomplete: it was interrupted, or could not read everything."
  /// The folder of an export that has sealed kinds.
  static let secretsFolder = "secrets"
  /// The file of an export that has the private keys of push services.
  static let secretsFile = "secrets.json"

  let label: DatabaseLabel
  let source: String
  private let data: any Administration
  private let manifest: ExportManifest?
  let progress: ProgressLine
  var tallies: [KindTally] = []
  private var sealed: [(kind: String, items: SealedSource)] = []
  private var pushKeys: String?
  private var hasOpenedSecrets = false

  /// An import of a directory into a database and its project.
  init(
    label: DatabaseLabel,
    source: String,
    data: any Administration,
    manifest: ExportManifest?,
    progress: ProgressLine = ProgressLine()
  ) {
    self.label = label
    self.source = source
    self.data = data
    self.manifest = manifest
    self.progress = progress
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

  /// Stores the items of a kind, and counts what became of them.
  mutating func take(
    _ kind: String,
    _ items: any ImportSource,
    isSealed: Bool = false
  ) throws {
    var tally = KindTally(kind: kind)
    try data.perform(
      .import(kind: kind, database: label),
      input: { [progress] in
        progress.show(done: items.bytesRead, total: items.bytesTotal, unit: items.unit)
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
    let changes = items.changes
    for line in changes.lines { progress.print("\(kind): changed: \(line)") }
    tally.changed = changes.count
    let expected = manifest?.lines(of: kind, isSealed: isSealed) ?? 0
    tally.missing = max(0, expected - items.lineCount)
    tallies.append(tally)
  }

  // MARK: The end

  /// Prints the result of each kind, and ends with 1 if something was dropped or is missing.
  func finish() throws {
    if !report() { throw ExitCode(1) }
  }

  /// Prints the result of each kind; returns false if something was dropped or is missing.
  func report() -> Bool {
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
    return isWhole && !tallies.contains(where: \.hasLoss)
  }
}

/// The outcome of an import of one kind.
struct KindTally {
  let kind: String
  var stored = 0
  var skipped = 0
  var dropped = 0
  /// Values that were stored otherwise than they were.
  var changed = 0
  /// Lines that were exported and are not there.
  var missing = 0

  var hasLoss: Bool { dropped + missing > 0 }

  var text: String {
    var parts = ["\(stored + skipped + dropped) read", "\(stored) stored"]
    if skipped > 0 { parts.append("\(skipped) skipped") }
    if changed > 0 { parts.append("\(changed.counting("value")) changed") }
    if dropped > 0 { parts.append("\(dropped) dropped") }
    if missing > 0 {
      let lines = missing.counting("line")
      parts.append("\(lines) of the export missing: files were truncated or deleted")
    }
    return "\(kind): \(parts.joined(separator: ", "))"
  }
}
