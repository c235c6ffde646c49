import ArgumentParser
import Foundation

/// The command `brasa keys`.
struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract:
      "Create, list and revoke the key files of back ends; rotate the key of users' tokens.",
    discussion: """
      A key file has the form that Google's Admin and Cloud clients take \
      (GOOGLE_APPLICATION_CREDENTIALS). Its private key is only in the file. Anyone with the file is \
      an administrator of every project of the server.

      Examples:
        brasa keys create shop-backend --role admin --project shop --out shop-backend.json
        brasa keys list
        brasa keys revoke shop-backend
        brasa keys rotate
      """,
    subcommands: [Create.self, List.self, Revoke.self, Rotate.self],
    defaultSubcommand: List.self
  )

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a key file.",
      discussion: """
        Google's clients read it where GOOGLE_APPLICATION_CREDENTIALS names it. It works over TLS, or \
        on the server's own machine.

        Example:
          brasa keys create shop-backend --role admin --project shop --out shop-backend.json
        """
    )
    @Argument(help: "The account's name: 4 to 30 of a-z, 0-9 and -, beginning with a letter.")
    var name: String
    @Option(help: "The account's role: admin.") var role: String
    @Option(help: "The project for its clients and custom tokens (or $BRASA_PROJECT).")
    var project: String?
    @Option(help: "The file to write; it must not exist (default: print the key).")
    var out: String?
    @Option(
      help: "The server's address for clients (or $BRASA_ORIGIN; default: as it was started)."
    )
    var origin: String?
    @OptionGroup var data: DataOptions

    func run() throws {
      let environment = ProcessInfo.processInfo.environment
      guard let project = project ?? environment["BRASA_PROJECT"] else {
        throw ValidationError("Name the project with --project, or set BRASA_PROJECT.")
      }
      let file = try out.map(SecretFile.init)
      do {
        let request = AdministrationRequest.createKey(
          name: name,
          role: role,
          project: project,
          origin: origin ?? environment["BRASA_ORIGIN"]
        )
        try data.perform(request) { reply in
          switch reply {
          case .line(let key):
            if let file { try file.write(key) } else { Terminal.write(key) }
          // To standard error: standard output may be the key file.
          case .finished(let summary): Terminal.note(summary)
          case .progress, .item, .difference, .omission, .counted, .failed: break
          }
        }
      } catch {
        file?.remove()
        throw error
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the keys.")
    @OptionGroup var data: DataOptions

    func run() throws { try DatabasesCommand.print(.listKeys, of: data) }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke a key, or every key of an account; it stops working at once.",
      discussion: """
        Keys outlive the administrator who made them, as back ends use them. --made-by ends all keys that \
        an account made: key files, HMAC keys and server keys. An account whose last key ends so loses the \
        keys that it made itself, too.

        Examples:
          brasa keys revoke shop-backend
          brasa keys revoke --made-by bea@example.com
        """
    )
    @Argument(help: "A key's ID, or an account's email or name.") var which: String?
    @Option(help: "The email of the account that created the keys.")
    var madeBy: String?
    @OptionGroup var data: DataOptions

    func validate() throws {
      guard (which == nil) != (madeBy == nil) else {
        throw ValidationError(
          "Name a key, an account, or with --made-by the account that created the keys."
        )
      }
      guard madeBy?.contains("@") ?? true else {
        throw ValidationError("--made-by needs an email address.")
      }
    }

    func run() throws {
      let request = which.map(AdministrationRequest.revokeKeys) ?? .revokeKeysMade(by: madeBy ?? "")
      try DatabasesCommand.print(request, of: data)
    }
  }
}

extension KeysCommand {
  struct Rotate: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create the next key for users' tokens early.",
      discussion: """
        Keys change by themselves every thirty days. The next key is published a day before it signs, and \
        the old one's tokens stay good. With --immediately, for a store that was stolen, the old keys go \
        at once, and with them every ID token, session cookie and access token: clients get new \
        ones by their refresh tokens.
        """
    )
    @Flag(help: "Remove the old keys and end all their tokens immediately.") var immediately = false
    @OptionGroup var data: DataOptions

    func run() throws {
      try DatabasesCommand.print(.rotateKeys(immediately: immediately), of: data)
    }
  }
}
