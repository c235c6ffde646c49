import ArgumentParser

/// The program: the server, and what operators do beside it, one file a command in `Commands`.
@main
struct Brasa: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "brasa",
    abstract: "A Firebase that you host yourself.",
    discussion: """
      One program, one port, one data directory, to which Google's own Firebase clients talk.

      Examples:
        brasa serve --dev
        brasa serve --data data --tls-certificate server.pem --tls-key server-key.pem
        brasa rules deploy firestore.rules --project shop
        brasa watch products --project shop --order name

      The other commands work beside a running server, whose data directory --data names, or on a \
      directory at rest.
      """,
    version: ProgramVersion.full,
    subcommands: [
      ServeCommand.self, BackupCommand.self, RestoreCommand.self, VerifyCommand.self,
      UpgradeCommand.self,
      ExportCommand.self, ImportCommand.self, MigrateCommand.self, MoveCommand.self,
      NodesCommand.self,
      IndexesCommand.self, RulesCommand.self, DatabasesCommand.self, KeysCommand.self,
      UsersCommand.self, AppsCommand.self, ConfigCommand.self, MessagesCommand.self,
      AnalyticsCommand.self, EventsCommand.self, FunctionsCommand.self, HostingCommand.self,
      FirebaseCommand.self,
      StorageCommand.self, WatchCommand.self, CertsCommand.self,
      ClockCommand.self, ConsoleCommand.self, VersionCommand.self,
    ]
  )

  /// Runs the command that the arguments name; a failure is a sentence on standard error.
  static func main() async {
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      exit(withError: CommandFailure(endedBy: error) ?? error)
    }
  }
}
