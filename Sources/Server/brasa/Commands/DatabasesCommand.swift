import ArgumentParser

/// The command `brasa databases`.
struct DatabasesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "databases",
    abstract: "List, create and delete databases.",
    discussion: """
      A project's (default) database is there when the first authorised call names it; others are \
      created before use, except in development.

      Examples:
        brasa databases create orders --project shop
        brasa databases list
        brasa databases delete orders --project shop --force
      """,
    subcommands: [List.self, Create.self, Delete.self],
    defaultSubcommand: List.self
  )

  /// Prints what a request answers.
  static func print(_ request: AdministrationRequest, of data: DataOptions) throws {
    try data.perform(request) { reply in
      switch reply {
      case .line(let text), .finished(let text): Swift.print(text)
      case .progress, .item, .difference, .failed: break
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List every project's databases.")
    @OptionGroup var data: DataOptions

    func run() throws { try DatabasesCommand.print(.listDatabases, of: data) }
  }

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a database.",
      discussion: "An id is (default) or 4 to 63 of a-z, 0-9 and -, beginning with a letter."
    )
    @Argument(help: "The new database's id.") var id: String
    @Option(name: .long, help: "The project's id (or $BRASA_PROJECT).") var project: String?
    @OptionGroup var data: DataOptions

    func run() throws {
      try DatabasesCommand.print(.createDatabase(try DatabasesCommand.label(id, project)), of: data)
    }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a database with all its documents.",
      discussion: "There is no way back. The data is erased in the background."
    )
    @Argument(help: "The database's id.") var id: String
    @Option(name: .long, help: "The project's id (or $BRASA_PROJECT).") var project: String?
    @Flag(name: .long, help: "Really delete; without it only says what would go.") var force = false
    @OptionGroup var data: DataOptions

    func run() throws {
      let label = try DatabasesCommand.label(id, project)
      guard force else {
        throw ValidationError(
          "This would delete every document of \(label.id.path). Add --force to do it."
        )
      }
      try DatabasesCommand.print(.deleteDatabase(label), of: data)
    }
  }

  fileprivate static func label(_ id: String, _ project: String?) throws -> DatabaseLabel {
    var options = DatabaseOptions()
    options.project = project
    options.database = id
    return try options.label()
  }
}
