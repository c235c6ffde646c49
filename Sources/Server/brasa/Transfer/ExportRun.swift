import ArgumentParser

/// One run of `brasa export`: writes kinds of data, and finally the contents and gaps of the
/// export.
struct ExportRun {
  private let label: DatabaseLabel
  private let target: String
  private let data: DataOptions
  private let progress = ProgressLine()
  private var manifest: ExportManifest
  private var differences = 0
  /// The gaps so far, each with the kind that has it under a passphrase.
  private var omissions: [(text: String, secret: String?)] = []

  /// The private keys of push services, which have a file of their own.
  private static let pushKeys = "push"

  /// An export of a database and its project to a directory.
  init(label: DatabaseLabel, target: String, data: DataOptions) {
    self.label = label
    self.target = target
    self.data = data
    manifest = ExportManifest(of: label)
  }

  /// Writes a kind to a directory, which is made.
  mutating func export(_ kind: String, to directory: String) throws {
    let sink = try TransferForm(kind: kind).makeSink(directory)
    // Until it is written again, it says that the export is not whole.
    if kind == TransferForm.rootKind { try manifest.write(to: target) }
    try write(kind, to: sink, isSealed: false)
  }

  /// Writes kinds of secrets, and the private keys of push services, under a passphrase.
  mutating func exportSecrets(_ kinds: [String], passphrase: String) throws {
    let keys = SealingKeys(passphrase: passphrase)
    for kind in kinds {
      let path = "\(target)/\(ImportRun.secretsFolder)/\(kind)"
      try write(kind, to: try SealedSink(kind, keys, creating: path), isSealed: true)
    }
    let sealing = SealedSecrets(passphrase: passphrase)
    try data.perform(.messages(project: label.project, .exportSecrets)) { [target] reply in
      guard case .line(let secrets) = reply else { return }
      try SecretFile("\(target)/\(ImportRun.secretsFile)").write(sealing.seal(secrets) + "\n")
    }
    omissions.removeAll { omission in
      omission.secret.map { kinds.contains($0) || $0 == Self.pushKeys } ?? false
    }
  }

  /// Records the gaps that every export has.
  mutating func noteGaps(excluded: [String]) throws {
    var others: [String] = []
    let start = "projects/\(label.project)/databases/"
    try data.perform(.listDatabases) { reply in
      guard case .line(let path) = reply, path.hasPrefix(start) else { return }
      others.append(String(path.dropFirst(start.count)))
    }
    others.removeAll { $0 == label.database }
    if !others.isEmpty { omissions.append((ExportGaps.others(others), nil)) }
    if !excluded.isEmpty {
      omissions.append(("Excluded: \(excluded.joined(separator: ", ")).", nil))
    }
    omissions.append((ExportGaps.ofProject, nil))
  }

  /// Ends the export, which is complete then, and prints its gaps.
  mutating func finish() throws {
    manifest.isComplete = differences == 0
    manifest.omissions = omissions.map(\.text)
    try manifest.write(to: target)
    for omission in manifest.omissions { progress.print("Not exported: \(omission)") }
    if differences > 0 { throw ExitCode(1) }
  }

  private mutating func write(_ kind: String, to sink: any ExportSink, isSealed: Bool) throws {
    var differences = 0
    var omissions: [(text: String, secret: String?)] = []
    try data.perform(.export(kind: kind, database: label)) { [progress] reply in
      switch reply {
      case .item(let file, let bytes): try sink.take(bytes, of: file)
      case .progress(let done, let total, let unit):
        progress.show(done: done, total: total, unit: unit)
      case .difference(let text):
        differences += 1
        progress.print(text)
      case .omission(let text, let secret): omissions.append((text, secret))
      case .line(let text), .finished(let text): progress.print(text)
      case .counted, .failed: break
      }
    }
    try sink.close()
    self.differences += differences
    self.omissions += omissions
    manifest.kinds.append(.init(kind: kind, lines: sink.lineCount, isSealed: isSealed))
  }
}
