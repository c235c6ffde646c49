import ArgumentParser
import CCommit

/// The command `brasa version`.
struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version",
    abstract: "Print the program's version and the commit of its build."
  )

  func run() {
    print("brasa \(ProgramVersion.full)")
  }
}

/// The version that the program was built from.
///
/// This is the one place that names it: packages, the console and `brasa --version` have it from here.
enum ProgramVersion {
  static let text = "0.1.0"

  /// The commit of the build from `BRASA_COMMIT`; nil if it is not set.
  static var commit: String? {
    let text = String(cString: brasa_commit())
    return text.isEmpty ? nil : text
  }

  /// The version, and the commit in parentheses where it is known.
  static var full: String { commit.map { "\(text) (\($0))" } ?? text }
}
