import ArgumentParser

/// The command `brasa version`.
struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version",
    abstract: "Print the version of the program."
  )

  func run() {
    print("brasa \(ProgramVersion.text)")
  }
}

/// The version that the program was built from.
enum ProgramVersion {
  static let text = "0.1.0"
}
