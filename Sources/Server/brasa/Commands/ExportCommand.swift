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

      What else the project has is added by name, each kind in a folder of its own: indexes (definitions and \
      field overrides), settings (of accounts, and sign-in providers), mail (templates), apps, accounts (with \
      the hashes of their passwords), rules (those in force), config, events, files (buckets, and every object with its \
      bytes, its older versions and its download tokens), messages (which credentials for push services there \
      are); "all" is all of them. Files are written one after the other while the server goes on: each is whole.

      Secrets leave only with --with-secrets, encrypted under a passphrase: with accounts their second factors, with \
      settings the client secrets and keys of providers, with files the HMAC keys, and the private keys of push \
      services. The passphrase is the first line of --passphrase-file, or $BRASA_SECRETS_PASSPHRASE, or is asked for. \
      HMAC keys (hmac-keys) are also written as they are where they are named.

      What the export does not have is printed, and is in the file export.json with the number of lines of each kind.

      --format managed writes documents as a managed export of Google's, which `gcloud firestore import` takes. --format \
      firebase writes the folder of Firebase's emulators, for `firebase emulators:start --import`: documents, accounts, files.

      Example:
        brasa export backup-2026-01-31 --project shop
        brasa export backup-2026-01-31 --project shop --include accounts --include rules
        brasa export backup-2026-01-31 --project shop --include all
        brasa export backup-2026-01-31 --project shop --include all --exclude files
        brasa export backup-2026-01-31 --project shop --include all --with-secrets --passphrase-file key.txt
        brasa export seed --project shop --format firebase
      """
  )

  @Argument(help: "The directory to write; it must not exist or be empty.", completion: .directory)
  var target: String
  @Option(name: .long, help: "Another kind of data to write, or \"all\"; repeatable.")
  var include: [String] = []
  @Option(name: .long, help: "A kind to leave out of \"all\"; repeatable.")
  var exclude: [String] = []
  @Option(
    name: .long,
    help: "brasa (lines of JSON), managed (Google's export) or firebase (the emulators' folder)."
  )
  var format = ExportForm.brasa
  @Flag(name: .long, help: "Also write the secrets of the exported kinds, encrypted.")
  var withSecrets = false
  @OptionGroup var passphrase: SecretPassphrase
  @OptionGroup var data: DataOptions
  @OptionGroup var database: DatabaseOptions

  func run() throws {
    let label = try database.label()
    guard format == .brasa else { return try exportToGoogles(label) }
    let kinds = try data.transferKinds(areAllWanted: include.contains("all"))
    let chosen = try chosen(of: kinds)
    let phrase = withSecrets ? try passphrase.read(isNew: true) : nil
    var writing = ExportRun(label: label, target: target, data: data)
    try writing.export(TransferForm.rootKind, to: target)
    for kind in chosen { try writing.export(kind, to: "\(target)/\(kind)") }
    if let phrase {
      let sealed = kinds.secrets.filter { secret in
        !exclude.contains(secret.name)
          && (chosen.contains(secret.companion) || include.contains(secret.name))
      }
      try writing.exportSecrets(sealed.map(\.name), passphrase: phrase)
    }
    if include.contains("all") { try writing.noteGaps(excluded: exclude) }
    try writing.finish()
  }

  /// Writes a form of Google's, which has its own kinds.
  private func exportToGoogles(_ label: DatabaseLabel) throws {
    guard include.isEmpty, exclude.isEmpty, !withSecrets else {
      throw ValidationError(
        "--format \(format.rawValue) has its own kinds. Remove --include, --exclude and --with-secrets."
      )
    }
    var export = FirebaseExport(label, data, ProgressLine())
    let isWhole =
      format == .managed
      ? try export.writeManaged(to: target) : try export.writeFolder(to: target)
    if !isWhole { throw ExitCode(1) }
  }

  /// The kinds beside documents that are written as they are.
  private func chosen(of kinds: TransferKinds) throws -> [String] {
    let secrets = kinds.secrets.map(\.name)
    var named = include.filter { $0 != TransferForm.rootKind && $0 != "all" }
    // HMAC keys are an administrator's own to write down; accounts' secrets are other people's.
    let refused = named.filter { secrets.contains($0) && $0 != Self.plainSecrets }
    guard withSecrets || refused.isEmpty else {
      throw ValidationError(
        "\(refused.joined(separator: ", ")): secrets are exported only with a passphrase. Add --with-secrets."
      )
    }
    if withSecrets { named.removeAll { secrets.contains($0) } }
    guard include.contains("all") else { return named }
    let all = kinds.names.filter { $0 != TransferForm.rootKind }
    return (all + named.filter { !all.contains($0) }).filter { !exclude.contains($0) }
  }

  /// The kind of secrets that is written as it is where it is named.
  private static let plainSecrets = "hmac-keys"
}

extension ExportForm: ExpressibleByArgument {}
