import ArgumentParser

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
      force.

      Example:
        brasa import backup-2026-01-31 --project shop --database restored
        brasa import backup-2026-01-31 --project shop --include accounts --include rules
      """
  )

  @Argument(help: "The directory to read.", completion: .directory)
  var source: String
  @Option(name: .long, help: "Another kind of data to read; may be repeated.")
  var include: [String] = []
  @OptionGroup var data: DataOptions
  @OptionGroup var database: DatabaseOptions

  func run() throws {
    let label = try database.label()
    let documents = try ImportLines(directory: source, mayBeEmpty: !include.isEmpty)
    if !documents.isEmpty { try read(TransferForm.rootKind, into: label, from: documents) }
    for kind in include where kind != TransferForm.rootKind {
      try read(kind, into: label, from: try ImportLines(directory: "\(source)/\(kind)"))
    }
  }

  private func read(_ kind: String, into label: DatabaseLabel, from lines: ImportLines) throws {
    let form = TransferForm(kind: kind)
    let progress = ProgressLine()
    try data.perform(
      .import(kind: kind, database: label),
      input: {
        progress.show(done: lines.bytesRead, total: lines.bytesTotal, unit: "byte")
        return try lines.next().map(form.item)
      },
      output: { reply in
        switch reply {
        case .progress(let done, let total, let unit):
          progress.show(done: done, total: total, unit: unit)
        case .line(let text), .difference(let text), .finished(let text): progress.print(text)
        case .item, .failed: break
        }
      }
    )
  }
}
