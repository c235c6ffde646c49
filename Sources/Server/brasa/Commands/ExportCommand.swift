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

      Example:
        brasa export backup-2026-01-31 --project shop
      """
  )

  @Argument(help: "The directory to write; it must not exist or be empty.", completion: .directory)
  var target: String
  @OptionGroup var data: DataOptions
  @OptionGroup var database: DatabaseOptions

  func run() throws {
    let files = try ExportDirectory(creating: target)
    let progress = ProgressLine()
    try data.perform(.export(database: try database.label())) { reply in
      switch reply {
      case .document(let collection, let message):
        try files.append(DocumentJSON.line(message), to: collection)
      case .progress(let done, let total, let unit):
        progress.show(done: done, total: total, unit: unit)
      case .line(let text), .difference(let text), .finished(let text): progress.print(text)
      case .failed: break
      }
    }
    try files.close()
  }
}
