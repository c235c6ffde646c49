import BaseJSON
import BaseText
import Foundation
import Testing

@testable import Authentication

/// Sign-ins by the code flow with the providers that Firebase knows, each against a stand-in that checks what the
/// provider checks.
struct KnownProviderTests {
  private let clock = ManualClock(AccountsFixture.start)

  private func providers(_ web: KnownProviderStandIn) -> IdentityProviders {
    var accounts = AccountsConfiguration()
    accounts.clock = clock.clock
    return IdentityProviders(
      fetcher: web,
      configuration: accounts,
      secret: [UInt8](repeating: 7, count: 32)
    )
  }

  private func configuration(_ web: KnownProviderStandIn) -> ProviderConfiguration {
    var made = ProviderConfiguration(kind: .known, id: web.provider.rawValue)
    made.isEnabled = true
    made.clientID = web.client.id
    if web.provider == .apple {
      made.apple = AppleKey(
        teamID: KnownProviderStandIn.teamID,
        keyID: KnownProviderStandIn.keyID,
        privateKey: web.appleKey.pemRepresentation
      )
    } else {
      made.clientSecret = web.client.secret
    }
    return made
  }

  /// Signs a person in; `change` alters what the client brings back.
  private func signIn(
    _ web: KnownProviderStandIn,
    _ configuration: ProviderConfiguration,
    times: Int = 1,
    change: (inout ProviderCredential) -> Void = { _ in }
  ) async throws -> ProviderProfile? {
    let providers = providers(web)
    let begun = try await providers.begin(
      configuration,
      continueURI: web.client.redirect,
      scope: nil,
      random: .system
    )
    let consent = try #require(web.consent(begun.authURI))
    var credential = ProviderCredential(providerID: configuration.id)
    credential.code = consent.code
    credential.state = consent.state
    credential.sessionID = begun.sessionID
    credential.requestURI = web.client.redirect
    change(&credential)
    var found: ProviderProfile?
    for _ in 0..<times { found = try await providers.profile(credential, configuration) }
    return found
  }

  private func refusal(_ body: () async throws -> ProviderProfile?) async -> String? {
    do {
      _ = try await body()
      return nil
    } catch {
      return (error as? AccountError)?.code.rawValue ?? "\(error)"
    }
  }

  @Test(arguments: KnownProvider.allCases)
  func `a code of the provider signs in`(provider: KnownProvider) async throws {
    let web = KnownProviderStandIn(provider, clock)
    let found = try #require(try await signIn(web, configuration(web)))
    let ids: [KnownProvider: Text] = [.gitHub: "42", .facebook: "77"]
    #expect(found.identity.profile.rawID == ids[provider, default: "ana-1"])
    #expect(found.identity.profile.email == "ana@x.example")
    #expect(found.identity.profile.providerID == Text(provider.rawValue))
    // Only GitHub's stand-in says that the address is verified.
    #expect(found.identity.isEmailVerified == (provider == .gitHub))
    #expect(web.refusals.isEmpty)
  }

  @Test(arguments: KnownProvider.allCases)
  func `the provider refuses another client's secret`(provider: KnownProvider) async throws {
    let web = KnownProviderStandIn(provider, clock)
    var wrong = configuration(web)
    wrong.clientSecret = "another"
    if provider == .apple {
      wrong.apple?.privateKey = KnownProviderStandIn(.apple, clock).appleKey.pemRepresentation
    }
    #expect(await refusal { try await signIn(web, wrong) } == "INVALID_IDP_RESPONSE")
    #expect(web.refusals == ["secret"])
  }

  @Test(arguments: KnownProvider.allCases)
  func `a code counts once`(provider: KnownProvider) async throws {
    let web = KnownProviderStandIn(provider, clock)
    let settings = configuration(web)
    #expect(
      await refusal { try await signIn(web, settings, times: 2) } == "INVALID_IDP_RESPONSE"
    )
    #expect(web.refusals == ["code"])
  }

  @Test(arguments: KnownProvider.allCases)
  func `a code needs its own redirect address, state and session`(
    provider: KnownProvider
  ) async throws {
    let web = KnownProviderStandIn(provider, clock)
    let settings = configuration(web)
    let moved = await refusal {
      try await signIn(web, settings) { $0.requestURI = "https://evil.example/handler" }
    }
    #expect(moved == "INVALID_IDP_RESPONSE" && web.refusals == ["redirect"])
    let asked = web.asked.count
    let stateless = await refusal { try await signIn(web, settings) { $0.state = "another" } }
    #expect(stateless == "INVALID_IDP_RESPONSE")
    let sessionless = await refusal { try await signIn(web, settings) { $0.sessionID = nil } }
    #expect(sessionless == "MISSING_SESSION_ID" && web.asked.count == asked)
  }

  @Test(arguments: [KnownProvider.gitHub, .facebook])
  func `an access token of a client signs nobody in`(provider: KnownProvider) async throws {
    let web = KnownProviderStandIn(provider, clock)
    var credential = ProviderCredential(providerID: provider.rawValue)
    credential.accessToken = "token-of-ana"
    let brought = credential
    let settings = configuration(web)
    #expect(
      await refusal { try await providers(web).profile(brought, settings) }
        == "OPERATION_NOT_ALLOWED"
    )
    #expect(web.asked.isEmpty)
  }

  @Test(arguments: [KnownProvider.google, .apple, .microsoft])
  func `a token needs the nonce and the issuer of the sign-in`(
    provider: KnownProvider
  ) async throws {
    for (claim, value, code) in [
      ("nonce", "another", "MISSING_OR_INVALID_NONCE"),
      ("iss", "https://evil.example", "INVALID_IDP_RESPONSE"),
      ("aud", "another-client", "INVALID_IDP_RESPONSE"),
    ] {
      let web = KnownProviderStandIn(provider, clock, [claim: .string(value)])
      let settings = configuration(web)
      #expect(await refusal { try await signIn(web, settings) } == code, "\(claim)")
    }
  }

  @Test func `a tenant of Microsoft is named by its issuer`() async throws {
    let other = "99999999-2222-3333-4444-555555555555"
    for changes in [
      ["tid": JSONValue.string(other)],
      [
        "tid": .string("x/../evil"),
        "iss": .string("https://login.microsoftonline.com/x/../evil/v2.0"),
      ],
    ] {
      let web = KnownProviderStandIn(.microsoft, clock, changes)
      let settings = configuration(web)
      #expect(await refusal { try await signIn(web, settings) } == "INVALID_IDP_RESPONSE")
    }
    let single = KnownProvider.microsoft.endpoints(tenant: other)
    let claims = JSONValue.object([.init("tid", .string(KnownProviderStandIn.tenant))])
    let foreign = MicrosoftTenant.issuer(KnownProviderStandIn.tenant)
    #expect(!single.accepts(issuer: foreign, claims))
    #expect(single.accepts(issuer: MicrosoftTenant.issuer(other), claims))
  }

  @Test(arguments: [KnownProvider.google, .apple, .microsoft])
  func `a tenant of Microsoft verifies no address`(provider: KnownProvider) async throws {
    let web = KnownProviderStandIn(provider, clock, ["email_verified": .boolean(true)])
    let found = try #require(try await signIn(web, configuration(web)))
    #expect(found.identity.isEmailVerified == (provider != .microsoft))
  }

  @Test func `settings that no provider has are refused where they are made`() throws {
    let project = try AccountsFixture().project
    for id in ["twitter.com", "yahoo.com", "playgames.google.com"] {
      expect(.operationNotAllowed) {
        try project.add(ProviderConfiguration(kind: .known, id: id))
      }
    }
    var apple = ProviderConfiguration(kind: .known, id: "apple.com")
    apple.apple = AppleKey(teamID: "A1B2C3D4E5", keyID: "K1L2M3N4P5", privateKey: "no key")
    expect(.invalidConfiguration) { try project.add(apple) }
    var google = ProviderConfiguration(kind: .known, id: "google.com")
    google.tenant = "common"
    expect(.invalidConfiguration) { try project.add(google) }
    var microsoft = ProviderConfiguration(kind: .known, id: "microsoft.com")
    microsoft.tenant = "evil.example/x"
    expect(.invalidConfiguration) { try project.add(microsoft) }
    microsoft.tenant = KnownProviderStandIn.tenant
    try project.add(microsoft)
  }
}
