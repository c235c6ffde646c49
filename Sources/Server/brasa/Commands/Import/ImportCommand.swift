import ArgumentParser
import Foundation

/// The command `brasa import`, and the forms that it reads.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Read an export of Brasa, Firebase, PocketBase or Supabase.",
    discussion: """
      Without a subcommand it reads a folder that `brasa export`, Google's managed export or the emulators wrote.

      Examples:
        brasa import backup-2026-01-31 --project shop
        brasa import pocketbase pb_data --project shop
        brasa import supabase dump.sql --project shop
      """,
    subcommands: [
      ImportFolderCommand.self, ImportPocketBaseCommand.self, ImportSupabaseCommand.self,
    ],
    defaultSubcommand: ImportFolderCommand.self
  )
}

/// The command `brasa import`, with the folder of an export behind it.
struct ImportFolderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "folder",
    abstract: "Read a folder that `brasa export`, Google's export or the emulators wrote.",
    discussion: """
      Every line of every .jsonl file becomes a document of the named database, whichever it came \
      from; documents of the same name are replaced, others stay. References to the exported database and its project \
      lead to the new ones. Creation and update times are those of the import. Works beside a running server; a repeated \
      import changes nothing more.

      What else was exported is read by name, or "all" of it: indexes, settings, mail, apps, accounts and files of the same \
      name are replaced, rules are put in force, a config is published. An import that was cut off is begun again: \
      what is there already is passed over. What cannot be stored is told with the reason, others are stored.

      With --with-secrets the secrets of the export are kept too: nothing is written unless the passphrase opens them. \
      It is the first line of --passphrase-file, or $BRASA_SECRETS_PASSPHRASE, or is asked for.

      A managed export of Google's (with its *.overall_export_metadata) and the folder that Firebase's emulators write with \
      --export-on-exit are read as they are: documents, accounts and files. The emulator's passwords (fakeHash) are taken in \
      development only.

      At the end the command says for each kind how many items it read, stored, skipped (they were there already) and \
      dropped, and exits with 1 if it dropped any or lines are missing.

      Example:
        brasa import folder backup-2026-01-31 --project shop --database restored
        brasa import backup-2026-01-31 --project shop --include accounts --include rules
        brasa import backup-2026-01-31 --project shop --include all --with-secrets --passphrase-file key.txt
      """
  )

  @Argument(help: "The directory to read.", completion: .directory)
  var source: String
  @Option(
    name: .long,
    help: "Another kind of data to read, or \"all\" that was exported; repeatable."
  )
  var include: [String] = []
  @Option(name: .long, help: "A kind to leave out of \"all\"; repeatable.")
  var exclude: [String] = []
  @Flag(name: .long, help: "Read secrets too.")
  var withSecrets = false
  @OptionGroup var passphrase: SecretPassphrase
  @OptionGroup var data: DataOptions
  @OptionGroup var database: DatabaseOptions

  func run() throws {
    let label = try database.label()
    if try readsGoogles(label) { return }
    let manifest = try ExportManifest.read(from: source)
    let kinds = try data.transferKinds(areAllWanted: include.contains("all"))
    let chosen = try chosen(of: kinds, manifest)
    let secrets = kinds.secrets.filter { secret in
      !exclude.contains(secret.name)
        && (chosen.contains(secret.companion) || include.contains(secret.name))
    }
    var reading = ImportRun(label: label, source: source, data: data, manifest: manifest)
    // A file that can't be opened ends the command before anything is written.
    if withSecrets {
      try reading.openSecrets(
        secrets.map(\.name),
        passphrase: try passphrase.read(isNew: false)
      )
    }
    let isForIncluded = !include.isEmpty || withSecrets
    if chosen.contains(ImportRun.firstKind) {
      try reading.read(ImportRun.firstKind, mayBeEmpty: include.contains("all"))
    }
    try reading.read(TransferForm.rootKind, mayBeEmpty: isForIncluded)
    for kind in chosen where kind != ImportRun.firstKind {
      try reading.read(kind, mayBeEmpty: include.contains("all"))
    }
    try reading.readSecrets()
    try reading.finish()
  }

  /// Reads Google's own forms of exports, which name their parts themselves; false where the source is none.
  private func readsGoogles(_ label: DatabaseLabel) throws -> Bool {
    var reading = ImportRun(label: label, source: source, data: data, manifest: nil)
    guard try reading.readGoogles() else { return false }
    try reading.finish()
    return true
  }

  /// The kinds beside documents; "all" is those that have a folder, or lines in the manifest.
  private func chosen(of kinds: TransferKinds, _ manifest: ExportManifest?) throws -> [String] {
    var named = include.filter { $0 != TransferForm.rootKind && $0 != "all" }
    if withSecrets { named.removeAll { name in kinds.secrets.contains { $0.name == name } } }
    guard include.contains("all") else { return named }
    let all = kinds.names.filter { kind in
      kind != TransferForm.rootKind
        && (FileManager.default.fileExists(atPath: "\(source)/\(kind)")
          || manifest?.lines(of: kind) ?? 0 > 0)
    }
    return (all + named.filter { !all.contains($0) }).filter { !exclude.contains($0) }
  }
}
