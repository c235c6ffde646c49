import ArgumentParser

extension UsersCommand {
  /// The command `brasa users policy`.
  struct Policy: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show or change the password policy.",
      discussion: """
        Without options it shows the policy. From the beginning it is Firebase's: six characters and nothing else. \
        It applies to passwords that users choose; those that administrators set need six characters.

        Example:
          brasa users policy --minimum-length 10 --require digit,symbol --refuse-common --project shop
        """
    )
    @Option(help: "The minimum length, 6 to 30.") var minimumLength: Int?
    @Option(help: "The maximum length, up to 4096.") var maximumLength: Int?
    @Option(help: "lowercase, uppercase, digit and symbol, separated by commas, or nothing.")
    var require: String?
    @Flag(
      inversion: .prefixedNo,
      exclusivity: .exclusive,
      help: "Refuse the most common passwords."
    ) var refuseCommon: Bool?
    @OptionGroup var accounts: Accounts

    func run() throws {
      let change = PasswordPolicyChange(
        minimumLength: minimumLength,
        maximumLength: maximumLength,
        required: try require.map(Self.kinds),
        refusesCommon: refuseCommon
      )
      try accounts.print(change.isEmpty ? .policy : .setPolicy(change))
    }

    private static func kinds(_ text: String) throws -> [PasswordPolicyChange.Kind] {
      if text == "nothing" { return [] }
      return try text.split(separator: ",").map { name in
        guard let kind = PasswordPolicyChange.Kind(rawValue: String(name)) else {
          let known = PasswordPolicyChange.Kind.allCases.map(\.rawValue).joined(separator: ", ")
          throw ValidationError(
            "--require must be \(known), separated by commas, or nothing; not \(name)."
          )
        }
        return kind
      }
    }
  }
}
