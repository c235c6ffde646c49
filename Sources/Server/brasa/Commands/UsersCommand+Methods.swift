import ArgumentParser
import Authentication

extension UsersCommand {
  /// The command `brasa users methods`.
  struct Methods: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List or change the sign-in methods and what apps may do.",
      discussion: """
        METHOD is password, email-link, anonymous, sign-up or deletion. In production password, email-link, \
        sign-up and deletion are on from the beginning.

        METHOD may be an identity provider too: google.com, apple.com, github.com, microsoft.com, facebook.com \
        or oidc.NAME. Its secret is read from standard input and never shown. Apple has a key instead: give its \
        .p8 file as the secret, with --team-id and --key-id.

        Examples:
          brasa users methods anonymous on --project shop
          brasa users methods github.com on --client-id Iv1.8a61 --secret-stdin --project shop < secret
          brasa users methods apple.com on --client-id com.example.web --team-id A1B2C3D4E5 \\
            --key-id K1L2M3N4P5 --secret-stdin --project shop < AuthKey.p8
          brasa users methods oidc.corp on --client-id web --issuer https://login.example.com --project shop
        """
    )
    @Argument(help: "The method or provider (default: list all).") var method: String?
    @Argument(help: "on or off.") var state: State?
    @Option(name: .customLong("client-id"), help: "The client ID at the provider.")
    var clientID: String?
    @Flag(help: "Read the client's secret, or Apple's .p8 file.") var secretStdin = false
    @Option(help: "The provider's address (oidc.NAME).") var issuer: String?
    @Option(help: "common, organizations, consumers or a tenant ID (microsoft.com).")
    var tenant: String?
    @Option(name: .customLong("team-id"), help: "The Apple team ID (apple.com).")
    var teamID: String?
    @Option(name: .customLong("key-id"), help: "The ID of Apple's key (apple.com).")
    var keyID: String?
    @OptionGroup var accounts: Accounts

    enum State: String, ExpressibleByArgument { case on, off }

    func validate() throws {
      guard (method == nil) == (state == nil) else { throw ValidationError("Add on or off.") }
      guard !isProvider else { return }
      if method == "phone" {
        throw ValidationError("Brasa does not support sign-in by telephone number.")
      }
      if let method, SignInMethod(rawValue: method) == nil {
        let known = SignInMethod.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("\(method) is not a method. Methods: \(known), or a provider's ID.")
      }
      let options = [clientID, issuer, tenant, teamID, keyID]
      guard options.allSatisfy({ $0 == nil }), !secretStdin else {
        throw ValidationError("Only providers, such as google.com, have these options.")
      }
    }

    private var isProvider: Bool { method?.contains(".") == true }

    func run() throws {
      guard let method, let state else { return try accounts.print(.methods) }
      if let known = SignInMethod(rawValue: method) {
        return try accounts.print(.setMethod(known, isOn: state == .on))
      }
      var change = ProviderChange(id: method, isOn: state == .on)
      change.clientID = clientID
      change.issuer = issuer
      change.tenant = tenant
      change.teamID = teamID
      change.keyID = keyID
      change.hasSecret = secretStdin
      var secret = secretStdin ? Self.standardInput() : nil
      try accounts.print(.setProvider(change)) {
        defer { secret = nil }
        return secret.map { Array($0.utf8) }
      }
    }

    /// Everything of standard input, without the line break at its end.
    private static func standardInput() -> String {
      var lines: [String] = []
      while let line = readLine() { lines.append(line) }
      return lines.joined(separator: "\n")
    }
  }
}
