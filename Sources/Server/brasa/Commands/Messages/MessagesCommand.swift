import ArgumentParser
import Foundation

/// The command `brasa messages`.
struct MessagesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "messages",
    abstract:
      "Send messages to apps, see what became of them, and keep the credentials of push services.",
    discussion: """
      Examples:
        brasa messages send '{"topic": "news", "notification": {"title": "Hello"}}' --project shop
        brasa messages list --project shop
        brasa messages credentials apns --key-id ABC1234567 --team-id DEF1234567 AuthKey.p8 --project shop
        brasa messages keys create back-end --project shop
      """,
    subcommands: [
      MessagesSendCommand.self, MessagesListCommand.self, MessagesShowCommand.self,
      MessagesCancelCommand.self, MessagesTopicsCommand.self, MessagesCredentialsCommand.self,
      MessagesKeysCommand.self, MessagesEraseCommand.self,
    ]
  )
}

/// The project that a command is about.
struct MessagesOptions: ParsableArguments {
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func perform(_ request: MessagesRequest) throws {
    try printReplies(.messages(project: try project.id(), request), of: data)
  }
}

/// `brasa messages cancel`.
struct MessagesCancelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Take back a message whose time has not come, or end one that is repeated.",
    discussion: """
      Example:
        brasa messages cancel 0:1700000000000000 --project shop
      """
  )

  @Argument(help: "The message's id.") var id: String
  @OptionGroup var options: MessagesOptions

  func run() throws { try options.perform(.cancel(id: id)) }
}

/// `brasa messages erase`.
struct MessagesEraseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Delete a user's registrations, and the messages that were sent to them alone.",
    discussion: """
      There is no way back. Apps of the user register anew when they are opened.

      Example:
        brasa messages erase --user 7fPz… --project shop
      """
  )

  @Option(name: .long, help: "The user's id.") var user: String
  @OptionGroup var options: MessagesOptions

  func run() throws { try options.perform(.erase(user: user)) }
}

/// `brasa messages list`.
struct MessagesListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the newest messages with what became of them.",
    discussion: """
      Example:
        brasa messages list --project shop --limit 50
      """
  )

  @Option(name: .long, help: "How many to list.") var limit = 20
  @OptionGroup var options: MessagesOptions

  func run() throws { try options.perform(.list(limit: max(limit, 1))) }
}

/// `brasa messages show`.
struct MessagesShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a message's deliveries.",
    discussion: """
      Example:
        brasa messages show 0:1700000000000000 --project shop
      """
  )

  @Argument(help: "The message's id.") var id: String
  @Option(name: .long, help: "How many deliveries to show.") var limit = 100
  @OptionGroup var options: MessagesOptions

  func run() throws { try options.perform(.show(id: id, limit: max(limit, 1))) }
}

/// `brasa messages topics`.
struct MessagesTopicsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "topics",
    abstract: "List topics with the numbers of their registrations.",
    discussion: """
      Example:
        brasa messages topics --project shop
      """
  )

  @Option(name: .long, help: "How many to list.") var limit = 1_000
  @OptionGroup var options: MessagesOptions

  func run() throws { try options.perform(.topics(limit: max(limit, 1))) }
}

/// `brasa messages credentials`.
struct MessagesCredentialsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "credentials",
    abstract: "Keep what the project proves to push services; secrets are not shown.",
    discussion: """
      Examples:
        brasa messages credentials --project shop
        brasa messages credentials vapid --subject mailto:ana@example.com --project shop
      """,
    subcommands: [List.self, APNs.self, RemoveAPNs.self, VAPID.self],
    defaultSubcommand: List.self
  )

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the credentials."
    )
    @OptionGroup var options: MessagesOptions

    func run() throws { try options.perform(.credentials) }
  }

  struct APNs: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "apns",
      abstract: "Keep a signing key of Apple's: the .p8 file of a developer team.",
      discussion: """
        Apple's developer pages make the key under Keys, with the Apple Push Notifications service; the file can be downloaded
        once. It serves every app of the team, in both environments.

        Examples:
          brasa messages credentials apns AuthKey_ABC123DEFG.p8 --key-id ABC123DEFG --team-id TEAM123456
        """
    )
    @Argument(help: "The .p8 file.", completion: .file()) var file: String
    @Option(name: .long, help: "The key's id: ten characters.") var keyID: String
    @Option(name: .long, help: "The team's id: ten characters.") var teamID: String
    @Option(name: .long, help: "The app's bundle id (default: every app of the project).")
    var bundle = ""
    @OptionGroup var options: MessagesOptions

    func run() throws {
      let key = try TextFile.text(at: file)
      try options.perform(
        .addAPNsKey(keyID: keyID, teamID: teamID, bundle: bundle, privateKey: key)
      )
    }
  }

  struct RemoveAPNs: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove-apns",
      abstract: "Remove a signing key of Apple's."
    )
    @Option(name: .long, help: "The bundle id that it was kept for (default: every app).")
    var bundle = ""
    @OptionGroup var options: MessagesOptions

    func run() throws { try options.perform(.removeAPNsKey(bundle: bundle)) }
  }

  struct VAPID: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "vapid",
      abstract: "Show the key for which pages subscribe, made by its first use."
    )
    @Option(name: .long, help: "Whom push services may ask: a mailto or https URL.")
    var subject: String?
    @OptionGroup var options: MessagesOptions

    func validate() throws {
      guard let subject else { return }
      guard subject.hasPrefix("mailto:") || subject.hasPrefix("https://") else {
        throw ValidationError("--subject is a mailto or https URL.")
      }
    }

    func run() throws { try options.perform(.vapid(subject: subject)) }
  }
}

/// `brasa messages keys`.
struct MessagesKeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Make, list and revoke server keys, by which back ends send in the legacy form.",
    discussion: """
      Examples:
        brasa messages keys create back-end --project shop
        brasa messages keys revoke back-end --project shop
      """,
    subcommands: [Create.self, List.self, Revoke.self],
    defaultSubcommand: List.self
  )

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create",
      abstract: "Make a server key and print it; only its hash is kept."
    )
    @Argument(help: "The key's name.") var name: String
    @OptionGroup var options: MessagesOptions

    func run() throws { try options.perform(.createServerKey(name: name)) }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the server keys by name."
    )
    @OptionGroup var options: MessagesOptions

    func run() throws { try options.perform(.listServerKeys) }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke",
      abstract: "Revoke a server key; the next request with it is refused."
    )
    @Argument(help: "The key's name.") var name: String
    @OptionGroup var options: MessagesOptions

    func run() throws { try options.perform(.revokeServerKey(name: name)) }
  }
}
