import ArgumentParser
import Foundation
import SecurityRules

/// The command `brasa rules`.
struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Test, explain and deploy security rules.",
    discussion: """
      Examples:
        brasa rules test cases.json --rules firestore.rules
        brasa rules explain get products/p1 --uid ana --project shop
        brasa rules deploy firestore.rules --project shop
      """,
    subcommands: [
      RulesTestCommand.self, RulesExplainCommand.self, RulesDeployCommand.self,
      RulesListCommand.self, RulesShowCommand.self,
    ]
  )
}

/// The project whose rules a command is about.
struct RulesProjectOptions: ParsableArguments {
  @Option(name: .long, help: "The project's ID (or $BRASA_PROJECT).")
  var project: String?

  /// The project that was named.
  func id() throws -> String {
    guard let project = project ?? ProcessInfo.processInfo.environment["BRASA_PROJECT"] else {
      throw ValidationError("Name the project with --project, or set BRASA_PROJECT.")
    }
    return project
  }
}

/// A file of rules, read and compiled.
enum RulesFileText {
  /// The file's text with its name.
  static func read(_ path: String) throws -> RulesSource {
    RulesSource(
      name: (path as NSString).lastPathComponent,
      content: try TextFile.text(at: path)
    )
  }

  /// Compiles the source; its errors and warnings go to standard error, one a line, as
  /// `firestore.rules:4:33: error: …`, and errors end the command.
  static func compile(
    _ source: RulesSource,
    coverage: RulesCoverage? = nil
  ) throws -> CompiledRuleset {
    let text = SourceText(source.content, fileName: source.name)
    do throws(RulesCompileError) {
      let compiled = try RulesCompiler.compile(text, coverage: coverage)
      report(compiled.warnings, of: text)
      return compiled
    } catch {
      report(error.issues, of: text)
      throw ExitCode.failure
    }
  }

  private static func report(_ issues: [RulesIssue], of text: SourceText) {
    for issue in issues {
      let position = text.position(of: issue.range.lowerBound)
      let line =
        "\(text.fileName):\(position.line):\(position.column): "
        + "\(issue.severity.rawValue.lowercased()): \(issue.message)"
      Terminal.note(line)
    }
  }
}

/// Prints the response to a request: lines on standard output, the summary on standard error.
///
/// - Parameter asFile: True if the lines are those of a file, which goes to other programs byte for
///   byte.
func printReplies(
  _ request: AdministrationRequest,
  of data: DataOptions,
  asFile: Bool = false
) throws {
  try data.perform(request) { reply in
    switch reply {
    case .line(let line): if asFile { Terminal.write(line + "\n") } else { Terminal.print(line) }
    case .finished(let summary): Terminal.note(summary)
    default: break
    }
  }
}
