import ArgumentParser

/// `brasa functions releases`.
struct FunctionsReleasesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "releases",
    abstract: "List the last deployments of a codebase.",
    discussion: """
      Each line has the number, the time, the digest of the source and the functions.

      Example:
        brasa functions releases --project shop
      """
  )

  @Option(help: "The name of the codebase.") var codebase = "default"
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    try printReplies(
      .functions(project: try project.id(), .releases(codebase: codebase)),
      of: data
    )
  }
}

/// `brasa functions rollback`.
struct FunctionsRollbackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback",
    abstract: "Roll a codebase back to an earlier deployment.",
    discussion: """
      Its source, packages, parameters and triggers return; secrets stay as they are.

      Examples:
        brasa functions rollback --project shop
        brasa functions rollback 3 --codebase default --project shop
      """
  )

  @Argument(help: "The release's number (default: the one before the live one).")
  var release: Int?
  @Option(help: "The name of the codebase.") var codebase = "default"
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    try printReplies(
      .functions(project: try project.id(), .rollBack(codebase: codebase, release: release)),
      of: data
    )
  }
}
