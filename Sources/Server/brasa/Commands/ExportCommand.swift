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
      the hashes of their passwords), rules (those in force).

      Example:
        brasa export backup-2026-01-31 --project shop
        brasa export backup-2026-01-31 --project shop --include accounts --include rules
        brasa export backup-2026-01-31 --project shop --include all
      """
  )

  @Argument(help: "The directory to write; it must not exist or be empty.", completion: .directory)
  var target: String
  @Option(name: .long, help: "Another kind of data to write, or \"all\"; may be repeated.")
  var include: [String] = []
  @OptionGroup var data: DataOptions
  @OptionGroup var database: DatabaseOptions

  func run() throws {
    let label = try database.label()
    var files = try ExportDirectory(creating: target)
    try export(TransferForm.rootKind, of: label, to: files)
    for kind in try kinds() {
      files = try ExportDirectory(creating: "\(target)/\(kind)")
      try export(kind, of: label, to: files)
    }
  }

  /// The kinds beside documents.
  private func kinds() throws -> [String] {
    guard include.contains("all") else { return include.filter { $0 != TransferForm.rootKind } }
    var kinds: [String] = []
    try data.perform(.listTransfers) { reply in
      if case .line(let kind) = reply, kind != TransferForm.rootKind { kinds.append(kind) }
    }
    return kinds
  }

  private func export(
    _ kind: String,
    of label: DatabaseLabel,
    to files: ExportDirectory
  ) throws {
    let form = TransferForm(kind: kind)
    let progress = ProgressLine()
    try data.perform(.export(kind: kind, database: label)) { reply in
      switch reply {
      case .item(let file, let bytes): try files.append(form.line(bytes), to: file)
      case .progress(let done, let total, let unit):
        progress.show(done: done, total: total, unit: unit)
      case .line(let text), .difference(let text), .finished(let text): progress.print(text)
      case .failed: break
      }
    }
    try files.close()
  }
}
