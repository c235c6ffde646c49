import ArgumentParser
import Foundation

/// The command `brasa messages`.
struct MessagesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "messages",
    abstract:
      "Send messages to apps, show their deliveries, and manage the credentials for push services.",
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
    abstract: "Cancel a scheduled or repeating message.",
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
    abstract: "Delete a user's registrations, and the messages that were sent only to them.",
    discussion: """
      This can't be undone. The user's apps register again when they are opened.

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
    abstract: "List the newest messages with their deliveries.",
    discussion: """
      Example:
        brasa messages list --project shop --limit 50
      """
  )

  @Option(name: .long, help: "The number of entries to list.") var limit = 20
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
  @Option(name: .long, help: "The number of deliveries to show.") var limit = 100
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

  @Option(name: .long, help: "The number of entries to list.") var limit = 1_000
  @OptionGroup var options: MessagesOptions

  func run() throws { try options.perform(.topics(limit: max(limit, 1))) }
}

/// `brasa messages credentials`.
struct MessagesCredentialsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "credentials",
    abstract: "Manage the project's credentials for push services; secrets are not shown.",
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
      abstract: "Add an APNs signing key: the .p8 file of a developer team.",
      discussion: """
        Apple's developer pages make the key under Keys, with the Apple Push Notifications service; the file can be downloaded
        once. It serves every app of the team, in both environments.

        Examples:
          brasa messages credentials apns AuthKey_ABC123DEFG.p8 --key-id ABC123DEFG --team-id TEAM123456
        """
    )
    @Argument(help: "The .p8 file.", completion: .file()) var file: String
    @Option(name: .long, help: "The key's ID: ten characters.") var keyID: String
    @Option(name: .long, help: "The team's ID: ten characters.") var teamID: String
    @Option(name: .long, help: "The app's bundle ID (default: every app of the project).")
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
      abstract: "Remove an APNs signing key."
    )
    @Option(name: .long, help: "The key's bundle ID (default: every app).")
    var bundle = ""
    @OptionGroup var options: MessagesOptions

    func run() throws { try options.perform(.removeAPNsKey(bundle: bundle)) }
  }

  struct VAPID: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "vapid",
      abstract: "Show the VAPID key for subscriptions of web pages; its first use creates it."
    )
    @Option(name: .long, help: "A contact for push services: a mailto or https URL.")
    var subject: String?
    @OptionGroup var options: MessagesOptions

    func validate() throws {
      guard let subject else { return }
      guard subject.hasPrefix("mailto:") || subject.hasPrefix("https://") else {
        throw ValidationError("--subject must be a mailto or https URL.")
      }
    }

    func run() throws { try options.perform(.vapid(subject: subject)) }
  }
}

/// `brasa messages keys`.
struct MessagesKeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Create, list and revoke server keys, with which back ends use the legacy API.",
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
      abstract: "Create a server key and print it; only its hash is stored."
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
