import ArgumentParser
import Foundation

/// The command `brasa import`.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Read documents that `brasa export` wrote.",
    discussion: """
      Every line of every .jsonl file becomes a document of the named database, whichever it came \
      from; documents of the same name are replaced, others stay. Creation and update times are \
      those of the import. Works beside a running server; a repeated import changes nothing more.

      What else was exported is read by name: accounts of the same uid are replaced, rules are put in \
      force, files of the same name are replaced. An import of files that was cut off is begun again: what \
      is there already is passed over. What cannot be stored is told, others are; the exit code is then 1.

      With --with-secrets the private keys of push services in secrets.json are kept too, opened by the passphrase in \
      $BRASA_SECRETS_PASSPHRASE.

      Example:
        brasa import backup-2026-01-31 --project shop --database restored
        brasa import backup-2026-01-31 --project shop --include accounts --include rules
      """
  )

  @Argument(help: "The directory to read.", completion: .directory)
  var source: String
  @Option(
    name: .long,
    help: "Another kind of data to read, or \"all\" that was exported; may be repeated."
  )
  var include: [String] = []
  @Option(name: .long, help: "A kind to leave out of \"all\"; may be repeated.")
  var exclude: [String] = []
  @Flag(name: .long, help: "Read private keys of push services too.")
  var withSecrets = false
  @OptionGroup var data: DataOptions
  @OptionGroup var database: DatabaseOptions

  func run() throws {
    let label = try database.label()
    if withSecrets { try importSecrets(into: label) }
    let root = TransferForm(kind: TransferForm.rootKind)
    var refusals = 0
    if let documents = try root.makeSource(
      source,
      below: source,
      mayBeEmpty: !include.isEmpty
    ) {
      refusals += try read(TransferForm.rootKind, into: label, from: documents)
    }
    for kind in try kinds() {
      let form = TransferForm(kind: kind)
      guard
        let items = try form.makeSource(
          "\(source)/\(kind)",
          below: source,
          mayBeEmpty: include.contains("all")
        )
      else {
        continue
      }
      refusals += try read(kind, into: label, from: items)
    }
    if refusals > 0 { throw ExitCode(1) }
  }

  /// The file of an export's directory that has private keys.
  static let secretsFile = "secrets.json"

  /// Comes first: what is imported then finds its keys there.
  private func importSecrets(into label: DatabaseLabel) throws {
    let sealing = try SealedSecrets()
    let root = URL(fileURLWithPath: source, isDirectory: true)
    let file = root.appendingPathComponent(Self.secretsFile)
    guard let bytes = try PlainFile.contents(of: file, below: root) else {
      throw ValidationError("There is no file \(file.path).")
    }
    let secrets = try sealing.open(String(decoding: bytes, as: UTF8.self))
    try data.perform(.messages(project: label.project, .importSecrets(secrets))) { reply in
      if case .finished(let text) = reply { Terminal.print(text) }
    }
  }

  /// The kinds beside documents; "all" is those that have a folder.
  private func kinds() throws -> [String] {
    let named = include.filter { $0 != TransferForm.rootKind && $0 != "all" }
    guard include.contains("all") else { return named }
    var kinds: [String] = []
    try data.perform(.listTransfers) { reply in
      guard case .line(let kind) = reply, kind != TransferForm.rootKind else { return }
      if FileManager.default.fileExists(atPath: "\(source)/\(kind)") { kinds.append(kind) }
    }
    return (kinds + named.filter { !kinds.contains($0) }).filter { !exclude.contains($0) }
  }

  /// Reads the items of a kind and answers how many were told as not stored.
  private func read(
    _ kind: String,
    into label: DatabaseLabel,
    from items: any ImportSource
  ) throws -> Int {
    let progress = ProgressLine()
    var refusals = 0
    try data.perform(
      .import(kind: kind, database: label),
      input: {
        progress.show(done: items.bytesRead, total: items.bytesTotal, unit: "byte")
        return try items.next()
      },
      output: { reply in
        switch reply {
        case .progress(let done, let total, let unit):
          progress.show(done: done, total: total, unit: unit)
        case .difference(let text):
          refusals += 1
          progress.print(text)
        case .line(let text), .finished(let text): progress.print(text)
        case .item, .failed: break
        }
      }
    )
    return refusals
  }
}
