import ArgumentParser
import Authentication
import KeyValueStore

/// The command `brasa-load tokens`.
struct TokensCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tokens",
    abstract: "Say what checking a user's token costs, known and at first sight, without a network."
  )

  @Option(help: "How many tokens are checked at first sight.") var tokens = 200
  @Option(help: "How often a known one is checked.") var checks = 1_000_000

  func validate() throws {
    try ServerOptions.check("--tokens", tokens, 1...100_000)
    try ServerOptions.check("--checks", checks, 1...1_000_000_000)
  }

  func run() throws {
    var configuration = AccountsConfiguration.development
    configuration.acceptsUnsigned = false
    let accounts = try Accounts(engine: MemoryEngine(), configuration: configuration)
    let sessions = try (0..<tokens).map { _ in
      try accounts.project("load").signUpAnonymously(from: .administrator)
    }
    let verifier = BearerTokens(accounts)
    let clock = ContinuousClock()
    var first = LatencyHistogram()
    for session in sessions {
      let time = try clock.measure { _ = try verifier.bearer(Substring(session.idToken)) }
      first.add(Int64(time / .nanoseconds(1)))
    }
    let known = Substring(sessions[0].idToken)
    let time = try clock.measure { for _ in 0..<checks { _ = try verifier.bearer(known) } }
    print("a token at first sight: \(Report.quantiles(first))")
    print("a known token: \(Report.short(time / .microseconds(1) / Double(checks))) us")
  }
}
