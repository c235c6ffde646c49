import ArgumentParser
import BaseJSON
import Foundation

extension UsersCommand {
  /// The command `brasa users export`.
  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write every account to a file, in the Firebase CLI's JSON.",
      discussion: """
        The file has the hashes of passwords. To import them elsewhere, `brasa users parameters` prints \
        what else is needed. It has no second factors, and no password whose hash was imported while nobody signed \
        in since: the accounts are listed. `brasa export --include accounts` takes those passwords along.

        Example:
          brasa users export users.json --project shop
        """
    )
    @Argument(help: "The file to write; it must not exist.") var file: String
    @OptionGroup var accounts: Accounts

    func run() throws {
      let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
      guard !FileManager.default.fileExists(atPath: file),
        FileManager.default.createFile(atPath: file, contents: nil, attributes: attributes),
        let handle = FileHandle(forWritingAtPath: file)
      else { throw ValidationError("\(file) exists or can't be written.") }
      let progress = ProgressLine()
      var separator = "{\"users\": [\n"
      try accounts.perform(.export) { reply in
        switch reply {
        case .line(let user):
          try handle.write(contentsOf: Data((separator + user).utf8))
          separator = ",\n"
        case .progress(let done, let total, let unit):
          progress.show(done: done, total: total, unit: unit)
        case .finished(let summary):
          let end = separator.hasPrefix("{") ? separator + "]}\n" : "\n]}\n"
          try handle.write(contentsOf: Data(end.utf8))
          progress.print(summary)
        case .difference(let text): progress.print(text)
        case .item, .omission, .counted, .failed: break
        }
      }
      try handle.close()
    }
  }

  /// The command `brasa users import`.
  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Read accounts from a file of the Firebase CLI, in JSON or CSV.",
      discussion: """
        Accounts of the same uid are replaced. The options say how passwords are hashed, as those of \
        `firebase auth:import`; users keep their passwords, and each is hashed anew at its first use.

        Example:
          brasa users import users.json --project shop --hash-algo SCRYPT --hash-key … \\
            --salt-separator … --rounds 8 --mem-cost 14
        """
    )
    @Argument(help: "The file to read.", completion: .file()) var file: String
    @Option(help: "SCRYPT, STANDARD_SCRYPT, BCRYPT, PBKDF2_SHA256, HMAC_SHA256, SHA256, …")
    var hashAlgo: String?
    @Option(help: "The signer key, in Base64.") var hashKey: String?
    @Option(help: "The salt separator, in Base64.") var saltSeparator: String?
    @Option(help: "Rounds.") var rounds: Int?
    @Option(help: "Memory cost.") var memCost: Int?
    @Option(help: "Parallelization.") var parallelization: Int?
    @Option(help: "Block size.") var blockSize: Int?
    @Option(help: "Length of the derived key.") var dkLen: Int?
    @Option(help: "SALT_FIRST or PASSWORD_FIRST.") var hashInputOrder: String?
    @OptionGroup var accounts: Accounts

    func run() throws {
      let users = try users()
      let progress = ProgressLine()
      var next = 0
      var refusals = 0
      try accounts.perform(
        .import(parameters: try parameters()),
        input: {
          progress.show(done: next, total: users.count, unit: "account")
          guard next < users.count else { return nil }
          defer { next += 1 }
          return Array(users[next].compact.utf8)
        },
        output: { reply in
          switch reply {
          case .difference(let text):
            refusals += 1
            progress.print(text)
          case .finished(let text), .line(let text): progress.print(text)
          case .progress, .item, .omission, .counted, .failed: break
          }
        }
      )
      if refusals > 0 { throw ExitCode(1) }
    }

    private func users() throws -> [JSONValue] {
      if file.lowercased().hasSuffix(".csv") {
        return try AccountsCSV.users(try TextFile.text(at: file), in: file)
      }
      let text = try TextFile.json(at: file)
      guard let users = try JSONValue(parsing: text)["users"]?.elements else {
        throw ValidationError("\(file) has no list \"users\".")
      }
      return users
    }

    private func parameters() throws -> String {
      var members: [JSONValue.Member] = []
      func add(_ name: String, _ text: String?) {
        if let text { members.append(.init(name, .string(text))) }
      }
      func add(_ name: String, _ number: Int?) {
        if let number { members.append(.init(name, .integer(number))) }
      }
      add("hashAlgorithm", hashAlgo)
      add("signerKey", hashKey)
      add("saltSeparator", saltSeparator)
      add("rounds", rounds)
      // The API names the cost by the algorithm.
      add(hashAlgo == "STANDARD_SCRYPT" ? "cpuMemCost" : "memoryCost", memCost)
      add("parallelization", parallelization)
      add("blockSize", blockSize)
      add("dkLen", dkLen)
      switch hashInputOrder {
      case nil: break
      case "SALT_FIRST": add("passwordHashOrder", "SALT_AND_PASSWORD")
      case "PASSWORD_FIRST": add("passwordHashOrder", "PASSWORD_AND_SALT")
      default: throw ValidationError("--hash-input-order must be SALT_FIRST or PASSWORD_FIRST.")
      }
      return JSONValue.object(members).compact
    }
  }
}
