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

      Example:
        brasa import backup-2026-01-31 --project shop --database restored
      """
  )

  @Argument(help: "The directory to read.", completion: .directory)
  var source: String
  @OptionGroup var data: DataOptions
  @OptionGroup var database: DatabaseOptions

  func run() throws {
    let lines = try ImportLines(directory: source)
    let progress = ProgressLine()
    try data.perform(
      .import(database: try database.label()),
      input: {
        progress.show(done: lines.bytesRead, total: lines.bytesTotal, unit: "byte")
        return try lines.next().map(DocumentJSON.message)
      },
      output: { reply in
        switch reply {
        case .progress(let done, let total, let unit):
          progress.show(done: done, total: total, unit: unit)
        case .line(let text), .difference(let text), .finished(let text): progress.print(text)
        case .document, .failed: break
        }
      }
    )
  }
}
