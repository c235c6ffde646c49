import ArgumentParser

/// The command `brasa verify`.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check stored data: recompute all derived data and report every difference.",
    discussion: """
      Index entries, collection directories and the change log are computed again from the stored \
      documents and compared with what is stored; accounts with their index entries and tokens, releases \
      with their rulesets. Nothing is changed. The exit code is 1 when anything differs. Works beside \
      a running server.

      Every file's bytes are read and their CRC32C is compared, which takes as long as reading the disk; with --sample \
      N one file in N is read, others each time, and of the rest the size alone is compared.

      Example:
        brasa verify --data data
        brasa verify --data data --sample 20
      """
  )

  @Option(name: .long, help: "Read the bytes of one file in this many (default: all files).")
  var sample: Int?
  @OptionGroup var data: DataOptions

  func validate() throws {
    guard sample ?? 1 > 0 else { throw ValidationError("--sample must be at least 1.") }
  }

  func run() throws {
    var differences = 0
    let progress = ProgressLine()
    try data.perform(.verify(sample: sample)) { reply in
      switch reply {
      case .difference(let text):
        differences += 1
        progress.print(text)
      case .progress(let done, let total, let unit):
        progress.show(done: done, total: total, unit: unit)
      case .line(let text), .finished(let text): progress.print(text)
      case .item, .omission, .counted, .failed: break
      }
    }
    if differences > 0 { throw ExitCode(1) }
  }
}
