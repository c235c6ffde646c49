import ArgumentParser

/// The command `brasa databases`.
struct DatabasesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "databases",
    abstract: "List, create and delete databases, and empty collections.",
    discussion: """
      A project's (default) database is created by the first authorized call; others must be \
      created before use, except in development mode.

      Examples:
        brasa databases create orders --project shop
        brasa databases list
        brasa databases delete orders --project shop --force
        brasa databases delete-collection logs --project shop --force
      """,
    subcommands: [List.self, Create.self, Delete.self, DeleteCollection.self],
    defaultSubcommand: List.self
  )

  /// Prints what a request answers.
  static func print(_ request: AdministrationRequest, of data: DataOptions) throws {
    try data.perform(request) { reply in
      switch reply {
      case .line(let text), .finished(let text): Terminal.print(text)
      case .progress, .item, .difference, .omission, .counted, .failed: break
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List every project's databases.",
      discussion: "A database that takes no writes has the reason behind its name."
    )
    @OptionGroup var data: DataOptions

    func run() throws {
      var states: [String: String] = [:]
      try data.perform(.listDatabases) { reply in
        switch reply {
        case .item(let path, let state): states[path] = String(decoding: state, as: UTF8.self)
        case .line(let path): Terminal.print(path + (states[path].map { "  \($0)" } ?? ""))
        case .finished(let text): Terminal.print(text)
        case .progress, .difference, .omission, .counted, .failed: break
        }
      }
    }
  }

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a database.",
      discussion: "An ID is (default), or 4 to 63 of a-z, 0-9 and -, beginning with a letter."
    )
    @Argument(help: "The new database's ID.") var id: String
    @Option(name: .long, help: "The project's ID (or $BRASA_PROJECT).") var project: String?
    @OptionGroup var data: DataOptions

    func run() throws {
      try DatabasesCommand.print(.createDatabase(try DatabasesCommand.label(id, project)), of: data)
    }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a database with all its documents.",
      discussion: "This can't be undone. The data is erased in the background."
    )
    @Argument(help: "The database's id.") var id: String
    @Option(name: .long, help: "The project's ID (or $BRASA_PROJECT).") var project: String?
    @Flag(name: .long, help: "Delete; without it the command only shows what it would delete.")
    var force = false
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

  struct DeleteCollection: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete-collection",
      abstract: "Delete every document of a collection.",
      discussion: """
        Documents of collections below it stay, unless --recursive is given. The command can be \
        interrupted and repeated: what it has deleted stays deleted. Clients that listen see every \
        deletion.

        Example:
          brasa databases delete-collection users/ana/orders --recursive --project shop --force
        """
    )
    @Argument(help: "The collection's path, for example users/ana/orders.") var path: String
    @Flag(name: .long, help: "Also delete the documents of all collections below it.")
    var recursive = false
    @Flag(name: .long, help: "Delete; without it the command only shows what it would delete.")
    var force = false
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var data: DataOptions

    func run() throws {
      let label = try database.label()
      let below = recursive ? " and of all collections below it" : ""
      guard force else {
        throw ValidationError(
          """
          This would delete every document of \(path)\(below) in \(label.id.path). Add --force to do it.
          """
        )
      }
      let progress = ProgressLine()
      try data.perform(
        .deleteCollection(database: label, path: path, includingDescendants: recursive)
      ) { reply in
        switch reply {
        case .progress(let done, let total, let unit):
          progress.show(done: done, total: total, unit: unit)
        case .line(let text), .finished(let text): progress.print(text)
        case .item, .difference, .omission, .counted, .failed: break
        }
      }
    }
  }

  fileprivate static func label(_ id: String, _ project: String?) throws -> DatabaseLabel {
    var options = DatabaseOptions()
    options.project = project
    options.database = id
    return try options.label()
  }
}
