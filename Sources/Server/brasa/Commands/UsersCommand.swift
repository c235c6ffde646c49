import ArgumentParser
import Foundation

/// The command `brasa users`.
struct UsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users",
    abstract: "Create, list, change, import and export accounts.",
    discussion: """
      Works beside a running server. WHO is a uid, an email address or a phone number.

      Examples:
        brasa users create --email ana@example.com --project shop
        brasa users show ana@example.com --project shop
        brasa users set-claims ana@example.com '{"role": "manager"}' --project shop
        brasa users disable ana@example.com --project shop
        brasa users enable ana@example.com --project shop
        brasa users delete ana@example.com --project shop --force
        brasa users methods anonymous on --project shop
        brasa users policy --minimum-length 10 --refuse-common --project shop
      """,
    subcommands: [
      List.self, Show.self, Create.self, Disable.self, Enable.self, SetClaims.self, Delete.self,
      Import.self, Export.self, Parameters.self, Methods.self, Policy.self,
    ],
    defaultSubcommand: List.self
  )

  /// The project whose accounts a command works on, and the server.
  struct Accounts: ParsableArguments {
    @Option(name: .long, help: "The project's ID (or $BRASA_PROJECT).") var project: String?
    @OptionGroup var data: DataOptions

    /// Asks, and prints lines and the summary.
    ///
    /// - Parameter asJSON: Prints lines that are JSON.
    func print(
      _ request: UsersRequest,
      asJSON: Bool = false,
      input: () throws -> [UInt8]? = { nil }
    ) throws {
      try perform(request, input: input) { reply in
        switch reply {
        case .line(let text) where asJSON: Terminal.print(json: text)
        case .line(let text), .difference(let text), .finished(let text):
          if !text.isEmpty { Terminal.print(text) }
        case .progress, .item, .omission, .counted, .failed: break
        }
      }
    }

    func perform(
      _ request: UsersRequest,
      input: () throws -> [UInt8]? = { nil },
      output: (AdministrationReply) throws -> Void
    ) throws {
      guard let project = project ?? ProcessInfo.processInfo.environment["BRASA_PROJECT"] else {
        throw ValidationError("Name the project with --project, or set BRASA_PROJECT.")
      }
      try data.perform(.users(project: project, request), input: input, output: output)
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List every account.")
    @OptionGroup var accounts: Accounts

    func run() throws { try accounts.print(.list) }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show an account as JSON.")
    @Argument(help: "A uid, an email address or a phone number.") var who: String
    @OptionGroup var accounts: Accounts

    func run() throws { try accounts.print(.show(who: who), asJSON: true) }
  }

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create an account.",
      discussion: """
        With --password-stdin the password is the first line of the standard input: what is in a \
        command line is seen by every user of the machine.

        Example:
          brasa users create --email ana@example.com --password-stdin --project shop
        """
    )
    @Option(help: "The uid (default: the server chooses one).") var uid: String?
    @Option(help: "The e-mail.") var email: String?
    @Option(help: "The display name.") var displayName: String?
    @Option(help: "The phone number, such as +5511987654321.") var phone: String?
    @Flag(help: "Mark the email address as verified.") var emailVerified = false
    @Flag(help: "Create the account disabled.") var disabled = false
    @Flag(help: "Read a password.") var passwordStdin = false
    @OptionGroup var accounts: Accounts

    func run() throws {
      let account = UsersRequest.NewAccount(
        uid: uid,
        email: email,
        displayName: displayName,
        phoneNumber: phone,
        isEmailVerified: emailVerified,
        isDisabled: disabled,
        hasPassword: passwordStdin
      )
      var password = passwordStdin ? readLine() ?? "" : nil
      try accounts.print(.create(account)) {
        defer { password = nil }
        return password.map { Array($0.utf8) }
      }
    }
  }

  struct Disable: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Disable an account; its tokens end immediately."
    )
    @Argument(help: "A uid, an email address or a phone number.") var who: String
    @OptionGroup var accounts: Accounts

    func run() throws { try accounts.print(.setDisabled(who: who, true)) }
  }

  struct Enable: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Enable an account again.")
    @Argument(help: "A uid, an email address or a phone number.") var who: String
    @OptionGroup var accounts: Accounts

    func run() throws { try accounts.print(.setDisabled(who: who, false)) }
  }

  struct SetClaims: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set the claims that an account's tokens carry.",
      discussion: """
        The claims are a JSON object; {} removes them. Rules see them as request.auth.token.

        Example:
          brasa users set-claims ana@example.com '{"role": "manager"}' --project shop
        """
    )
    @Argument(help: "A uid, an email address or a phone number.") var who: String
    @Argument(help: "The claims, a JSON object.") var claims: String
    @OptionGroup var accounts: Accounts

    func run() throws { try accounts.print(.setClaims(who: who, claims)) }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Delete an account.")
    @Argument(help: "A uid, an email address or a phone number.") var who: String
    @Flag(help: "Delete; without it the command only shows what it would delete.") var force = false
    @OptionGroup var accounts: Accounts

    func run() throws {
      guard force else {
        throw ValidationError("This would delete the account \(who). Add --force to do it.")
      }
      try accounts.print(.delete(who: who))
    }
  }

  struct Parameters: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the secret parameters of password hashes, as options for `import`."
    )
    @OptionGroup var accounts: Accounts

    func run() throws { try accounts.print(.parameters) }
  }
}
