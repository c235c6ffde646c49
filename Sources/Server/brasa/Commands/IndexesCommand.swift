import ArgumentParser

/// The command `brasa indexes`.
struct IndexesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "indexes",
    abstract: "List and apply index definitions.",
    discussion: """
      Examples:
        brasa indexes apply firestore.indexes.json --project shop
        brasa indexes list --project shop
      """,
    subcommands: [List.self, Apply.self],
    defaultSubcommand: List.self
  )

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the composite indexes with their states, and the single-field overrides."
    )
    @OptionGroup var data: DataOptions
    @OptionGroup var database: DatabaseOptions

    func run() throws {
      try DatabasesCommand.print(.listIndexes(database: try database.label()), of: data)
    }
  }

  struct Apply: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add the definitions of a firestore.indexes.json.",
      discussion: """
        The file has the Firebase CLI's format and may have comments. It is applied as a whole or not at all. New indexes are built in the background; \
        `brasa indexes list` shows their states. With --force, indexes and overrides that the \
        file does not name are deleted.

        Example:
          brasa indexes apply firestore.indexes.json --project shop
        """
    )
    @Argument(help: "The file.", completion: .file(extensions: ["json"])) var file: String
    @Flag(name: .long, help: "Delete indexes and overrides that the file does not contain.")
    var force = false
    @OptionGroup var data: DataOptions
    @OptionGroup var database: DatabaseOptions

    func run() throws {
      let text = try TextFile.json(at: file)
      let request = AdministrationRequest.applyIndexes(
        database: try database.label(),
        definitions: text,
        deletingOthers: force
      )
      try DatabasesCommand.print(request, of: data)
    }
  }
}
