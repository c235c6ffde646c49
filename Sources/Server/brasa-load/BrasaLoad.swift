import ArgumentParser

/// The program: one subcommand a kind of load.
@main
struct BrasaLoad: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "brasa-load",
    abstract: "Loads a server and says how fast it answered.",
    discussion: """
      Works on any server that speaks google.firestore.v1 over cleartext HTTP/2, files' loads on any that \
      speaks Cloud Storage over HTTP/1.1: Brasa in development mode, or an emulator. Every run ends by itself.
      """,
    subcommands: [
      FillCommand.self, CreateCommand.self, BatchCreateCommand.self, GetCommand.self,
      QueryCommand.self, TransactCommand.self, ListenCommand.self,
      ListenPocketBaseCommand.self, RawCommand.self, RawGetCommand.self, RawQueryCommand.self,
      RulesCommand.self, TokensCommand.self, FilesCommand.self, ConfigCommand.self,
      EventsCommand.self, EventCardsCommand.self, IntakeCommand.self, MessagesCommand.self,
    ]
  )
}
