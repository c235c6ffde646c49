import BaseText
import Testing

@testable import Authentication

/// Pending tokens and nonces: they are this server's, of one project, and hold for an hour.
struct PendingCredentialTests {
  private let clock = ManualClock(AccountsFixture.start)

  private func providers(secret: UInt8 = 7) -> IdentityProviders {
    var accounts = AccountsConfiguration()
    accounts.clock = clock.clock
    return IdentityProviders(
      fetcher: KnownProviderStandIn(.gitHub, clock),
      configuration: accounts,
      secret: [UInt8](repeating: secret, count: 32)
    )
  }

  private var gitHub: ProviderConfiguration {
    var made = ProviderConfiguration(kind: .known, id: "github.com")
    made.isEnabled = true
    made.clientID = "client-7"
    return made
  }

  private func profile(information: String = "{}") -> ProviderProfile {
    let linked = LinkedProvider(providerID: "github.com", rawID: "42", email: "ana@x.example")
    return ProviderProfile(
      identity: ProviderIdentity(profile: linked, isEmailVerified: false),
      rawUserInfo: information,
      accessToken: "token-of-ana"
    )
  }

  private func open(_ text: String, project: Text = "shop", secret: UInt8 = 7) async -> String? {
    do {
      let found = try await providers(secret: secret).profile(pendingToken: text, project: project)
      {
        $0 == "github.com" ? gitHub : nil
      }
      return found.0.identity.profile.rawID.string
    } catch {
      return (error as? AccountError)?.code.rawValue
    }
  }

  @Test func `a pending token holds for an hour`() async throws {
    let text = try #require(try providers().pendingToken(profile(), gitHub, project: "shop"))
    #expect(!text.contains("ana"))
    clock.advance(seconds: 3_599)
    #expect(await open(text) == "42")
    clock.advance(seconds: 1)
    #expect(await open(text) == "INVALID_IDP_RESPONSE")
  }

  @Test func `a pending token is of one project and one server`() async throws {
    let text = try #require(try providers().pendingToken(profile(), gitHub, project: "shop"))
    #expect(await open(text, project: "other") == "INVALID_IDP_RESPONSE")
    #expect(await open(text, secret: 8) == "INVALID_IDP_RESPONSE")
    #expect(await open(text) == "42")
  }

  @Test func `long information of a provider makes no long token`() throws {
    let long = #"{"a":"\#(String(repeating: "x", count: 100_000))"}"#
    let text = try #require(
      try providers().pendingToken(profile(information: long), gitHub, project: "shop")
    )
    #expect(text.utf8.count < 4_096)
  }

  @Test func `a state leads to an app only with this server's signature`() {
    let (own, other) = (providers(), providers(secret: 8))
    let state = own.state(of: "session", leadingTo: "com.example.shop://back")
    #expect(own.appAddress(inState: state) == "com.example.shop://back")
    #expect(own.isState(state, of: "session") && !own.isState(state, of: "another"))
    #expect(other.appAddress(inState: state) == nil)
    let plain = own.state(of: "session", leadingTo: nil)
    #expect(own.appAddress(inState: plain) == nil && own.isState(plain, of: "session"))
    #expect(own.isOwnNonce(own.ownNonce(of: "session")))
    #expect(!other.isOwnNonce(own.ownNonce(of: "session")))
  }
}
