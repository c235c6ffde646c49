import ArgumentParser
import Foundation

/// The command `brasa console`.
struct ConsoleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console",
    abstract: "Manage the accounts of the browser console.",
    discussion: """
      The person who opens a set-up link chooses a password and a second factor; the link works once. For a lost \
      password or second factor, send a new link with invite.

      Examples:
        brasa console open
        brasa console invite ada@example.org --role editor
        brasa console administrators
        brasa console remove ada@example.org
      """,
    subcommands: [
      ConsoleOpenCommand.self, ConsoleInviteCommand.self, ConsoleAdministratorsCommand.self,
      ConsoleRemoveCommand.self,
    ],
    defaultSubcommand: ConsoleOpenCommand.self
  )
}

/// The address under which browsers reach the server.
struct ConsoleOriginOptions: ParsableArguments {
  @Option(
    name: .long,
    help: "The server's address for browsers (or $BRASA_ORIGIN; default: as it was started)."
  )
  var origin: String?

  /// The origin that was given, without a slash at the end.
  var given: String? {
    let origin = origin ?? ProcessInfo.processInfo.environment["BRASA_ORIGIN"]
    return origin.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
  }
}

/// `brasa console open`.
struct ConsoleOpenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open",
    abstract: "Print a link that sets up a new owner, valid for 15 minutes.",
    discussion: """
      Example:
        brasa console open
      """
  )

  @OptionGroup var origin: ConsoleOriginOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    try printReplies(
      .console(
        .invite(email: nil, role: "owner", projects: [], seconds: 900, origin: origin.given)
      ),
      of: data
    )
  }
}

/// `brasa console invite`.
struct ConsoleInviteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite",
    abstract:
      "Print a link that sets up an administrator, or a new password and second factor, valid for a day.",
    discussion: """
      Owners do everything; editors everything but administrators and the deletion of databases; viewers change \
      nothing. A role for single projects gives no access to other projects or to the server's settings.

      Example:
        brasa console invite ada@example.org --role viewer
        brasa console invite bia@example.org --role owner --project shop
      """
  )

  @Argument(help: "The administrator's email address.") var email: String
  @Option(name: .long, help: "owner, editor or viewer.") var role = "viewer"
  @Option(
    name: .customLong("project"),
    help:
      "A project for the role; repeatable (default: the whole server)."
  )
  var projects: [String] = []
  @OptionGroup var origin: ConsoleOriginOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    try printReplies(
      .console(
        .invite(
          email: email,
          role: role,
          projects: projects,
          seconds: 86_400,
          origin: origin.given
        )
      ),
      of: data
    )
  }
}

/// `brasa console administrators`.
struct ConsoleAdministratorsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "administrators",
    abstract: "List the administrators.",
    discussion: """
      Example:
        brasa console administrators
      """
  )

  @OptionGroup var data: DataOptions

  func run() throws { try printReplies(.console(.list), of: data) }
}

/// `brasa console remove`.
struct ConsoleRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract:
      "Delete an administrator's account and end its sessions; the last owner can't be removed.",
    discussion: """
      Example:
        brasa console remove ada@example.org
      """
  )

  @Argument(help: "The administrator's email address.") var email: String
  @OptionGroup var data: DataOptions

  func run() throws { try printReplies(.console(.remove(email: email)), of: data) }
}
