import ArgumentParser

/// The program: the server, and what operators do beside it, one file a command in `Commands`.
@main
struct Brasa: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "brasa",
    abstract: "A Firebase that you host yourself.",
    version: ProgramVersion.text,
    subcommands: [
      ServeCommand.self, VerifyCommand.self, ExportCommand.self, ImportCommand.self,
      IndexesCommand.self, RulesCommand.self, DatabasesCommand.self, KeysCommand.self,
      UsersCommand.self,
      WatchCommand.self, CertsCommand.self,
      VersionCommand.self,
    ]
  )
}
