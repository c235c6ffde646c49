import ArgumentParser

/// The command `brasa export`.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a database's documents as JSON lines, one file a collection.",
    discussion: """
      Each line is a document as the REST API shows it, so every type survives: integers and \
      doubles apart, -0, NaN, bytes, references, vectors. All files show the same instant. Works \
      beside a running server. `brasa import` reads the directory back.

      What else the project has is added by name, each kind in a folder of its own: accounts (with \
      the hashes of their passwords), rules (those in force), files (buckets, and every object with its \
      bytes, its older versions and its download tokens), messages (which credentials for push services there \
      are). HMAC keys of files (hmac-keys) are secrets: they are written where they are named, and not by "all". Files \
      are written one after the other while the server goes on: each is whole.

      Private keys of push services leave only with --with-secrets: the file secrets.json (mode 0600) has them, \
      encrypted under the passphrase in $BRASA_SECRETS_PASSPHRASE.

      Example:
        brasa export backup-2026-01-31 --project shop
        brasa export backup-2026-01-31 --project shop --include accounts --include rules
        brasa export backup-2026-01-31 --project shop --include all
        brasa export backup-2026-01-31 --project shop --include all --exclude files
      """
  )

  @Argument(help: "The directory to write; it must not exist or be empty.", completion: .directory)
  var target: String
  @Option(name: .long, help: "Another kind of data to write, or \"all\"; may be repeated.")
  var include: [String] = []
  @Option(name: .long, help: "A kind to leave out of \"all\"; may be repeated.")
  var exclude: [String] = []
  @Flag(name: .long, help: "Write private keys of push services too, encrypted.")
  var withSecrets = false
  @OptionGroup var data: DataOptions
  @OptionGroup var database: DatabaseOptions

  func run() throws {
    let label = try database.label()
    let sealing = withSecrets ? try SealedSecrets() : nil
    try export(TransferForm.rootKind, of: label, to: target)
    let kinds = try kinds()
    for kind in kinds { try export(kind, of: label, to: "\(target)/\(kind)") }
    if let sealing { try exportSecrets(of: label, sealing) }
    if include.contains("all") { ProgressLine().print(ExportGaps.ofProject) }
    if kinds.contains("accounts") { ProgressLine().print(ExportGaps.ofAccounts) }
  }

  private func exportSecrets(of label: DatabaseLabel, _ sealing: SealedSecrets) throws {
    try data.perform(.messages(project: label.project, .exportSecrets)) { reply in
      guard case .line(let secrets) = reply else { return }
      try SecretFile("\(target)/\(ImportCommand.secretsFile)").write(sealing.seal(secrets) + "\n")
    }
  }

  /// The kinds beside documents.
  private func kinds() throws -> [String] {
    let named = include.filter { $0 != TransferForm.rootKind && $0 != "all" }
    guard include.contains("all") else { return named }
    var kinds: [String] = []
    try data.perform(.listTransfers) { reply in
      if case .line(let kind) = reply, kind != TransferForm.rootKind { kinds.append(kind) }
    }
    return (kinds + named.filter { !kinds.contains($0) }).filter { !exclude.contains($0) }
  }

  private func export(
    _ kind: String,
    of label: DatabaseLabel,
    to directory: String
  ) throws {
    let sink = try TransferForm(kind: kind).makeSink(directory)
    var differences = 0
    let progress = ProgressLine()
    try data.perform(.export(kind: kind, database: label)) { reply in
      switch reply {
      case .item(let file, let bytes): try sink.take(bytes, of: file)
      case .progress(let done, let total, let unit):
        progress.show(done: done, total: total, unit: unit)
      case .difference(let text):
        differences += 1
        progress.print(text)
      case .line(let text), .finished(let text): progress.print(text)
      case .failed: break
      }
    }
    try sink.close()
    if differences > 0 { throw ExitCode(1) }
  }
}
