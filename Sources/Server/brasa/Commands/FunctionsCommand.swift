import ArgumentParser
import Foundation
import FunctionHost

/// The command `brasa functions`.
struct FunctionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "functions",
    abstract:
      "Deploy and manage functions in Python, Node or Swift.",
    discussion: """
      The server must be running with --functions.

      Examples:
        brasa functions deploy functions --project shop
        brasa functions list --project shop
        brasa functions call greet '{"name": "Ada"}' --project shop
        brasa functions logs greet --follow --project shop
        brasa functions secrets set API_KEY --project shop < key.txt
      """,
    subcommands: [
      FunctionsDeployCommand.self, FunctionsListCommand.self, FunctionsCallCommand.self,
      FunctionsLogsCommand.self, FunctionsReleasesCommand.self, FunctionsRollbackCommand.self,
      FunctionsDeleteCommand.self, FunctionsSecretsCommand.self,
    ],
    defaultSubcommand: FunctionsListCommand.self
  )
}

/// `brasa functions deploy`.
struct FunctionsDeployCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deploy",
    abstract:
      "Deploy the source in a folder: copy it, install its packages and start its functions.",
    discussion: """
      Functions of the codebase that are no longer in the source are deleted.

      Example:
        brasa functions deploy functions --codebase default --project shop
      """
  )

  @Argument(help: "The folder with main.py, package.json or Package.swift.", completion: .directory)
  var folder: String
  @Option(help: "The name of the codebase.") var codebase = "default"
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    let path = URL(fileURLWithPath: folder).standardizedFileURL.path
    try printReplies(
      .functions(project: try project.id(), .deploy(folder: path, codebase: codebase)),
      of: data
    )
  }
}

/// `brasa functions list`.
struct FunctionsListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the functions of a project.",
    discussion: """
      Example:
        brasa functions list --project shop
      """
  )

  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws { try printReplies(.functions(project: try project.id(), .list), of: data) }
}

/// `brasa functions call`.
struct FunctionsCallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call",
    abstract: "Call a function and print its response.",
    discussion: """
      A callable function receives the data as its argument, an HTTP function as its body.

      Example:
        brasa functions call greet '{"name": "Ada"}' --project shop
      """
  )

  @Argument(help: "The function's name.") var name: String
  @Argument(help: "The function's data, as JSON.") var argument = "null"
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    try printReplies(
      .functions(project: try project.id(), .call(name: name, data: argument)),
      of: data
    )
  }
}

/// `brasa functions logs`.
struct FunctionsLogsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logs",
    abstract: "Print the logs of functions.",
    discussion: """
      Examples:
        brasa functions logs --project shop
        brasa functions logs greet --containing failed --follow --project shop
      """
  )

  @Argument(help: "The function's name (default: all of the project).") var name: String?
  @Option(help: "Only lines with this text.") var containing: String?
  @Flag(help: "Keep printing new lines.") var follow = false
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    var sequence = 0
    let project = try project.id()
    repeat {
      let request = FunctionsRequest.logs(function: name, after: sequence, text: containing)
      try data.perform(.functions(project: project, request)) { reply in
        guard case .item(_, let bytes) = reply else { return }
        let entry = try JSONDecoder().decode(FunctionLogEntry.self, from: Data(bytes))
        sequence = entry.sequence
        Terminal.print(Self.line(entry))
      }
      if follow { Thread.sleep(forTimeInterval: 0.5) }
    } while follow
  }

  private static func line(_ entry: FunctionLogEntry) -> String {
    let time = Date(timeIntervalSince1970: entry.time).formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    )
    let execution = entry.execution.map { " [\($0)]" } ?? ""
    return "\(time) \(entry.severity) \(entry.function)\(execution): \(entry.message)"
  }
}

/// `brasa functions delete`.
struct FunctionsDeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete a codebase with all its functions.",
    discussion: """
      Example:
        brasa functions delete default --project shop
      """
  )

  @Argument(help: "The name of the codebase.") var codebase: String
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    try printReplies(
      .functions(project: try project.id(), .delete(codebase: codebase)),
      of: data
    )
  }
}

/// `brasa functions secrets`.
struct FunctionsSecretsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "secrets",
    abstract: "Set, list and delete the secrets of functions.",
    discussion: """
      Examples:
        brasa functions secrets set API_KEY --project shop < key.txt
        brasa functions secrets list --project shop
        brasa functions secrets delete API_KEY --project shop
      """,
    subcommands: [
      FunctionsSecretSetCommand.self, FunctionsSecretListCommand.self,
      FunctionsSecretDeleteCommand.self,
    ],
    defaultSubcommand: FunctionsSecretListCommand.self
  )
}

/// `brasa functions secrets set`.
struct FunctionsSecretSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Set a secret to the text on standard input, without its final line break.",
    discussion: """
      Example:
        brasa functions secrets set API_KEY --project shop < key.txt
      """
  )

  @Argument(help: "The secret's name.") var name: String
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    let bytes = FileHandle.standardInput.readDataToEndOfFile()
    var value = String(decoding: bytes, as: UTF8.self)
    while value.last?.isNewline == true { value.removeLast() }
    try printReplies(
      .functions(project: try project.id(), .setSecret(name: name, value: value)),
      of: data
    )
  }
}

/// `brasa functions secrets list`.
struct FunctionsSecretListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the names of a project's secrets.",
    discussion: """
      Example:
        brasa functions secrets list --project shop
      """
  )

  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    try printReplies(.functions(project: try project.id(), .listSecrets), of: data)
  }
}

/// `brasa functions secrets delete`.
struct FunctionsSecretDeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete a secret.",
    discussion: """
      Example:
        brasa functions secrets delete API_KEY --project shop
      """
  )

  @Argument(help: "The secret's name.") var name: String
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    try printReplies(
      .functions(project: try project.id(), .deleteSecret(name: name)),
      of: data
    )
  }
}
