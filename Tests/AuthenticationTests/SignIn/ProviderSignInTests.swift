import BaseText
import Testing

@testable import Authentication

/// Identities of other providers: who may be joined with whom.
struct ProviderSignInTests {
  private let fixture: AccountsFixture
  private var project: ProjectAccounts { fixture.project }

  init() throws { fixture = try AccountsFixture() }

  private func identity(_ rawID: Text, _ email: String?, isVerified: Bool) -> ProviderIdentity {
    ProviderIdentity(
      profile: LinkedProvider(providerID: "google.com", rawID: rawID, email: email),
      isEmailVerified: isVerified
    )
  }

  private func session(_ signIn: ProviderSignIn) -> Session? {
    if case .outcome(let outcome, _) = signIn { outcome.session } else { nil }
  }

  @Test func `an identity makes an account once and signs in after`() throws {
    let who = identity("g-1", "Ana@example.com", isVerified: true)
    let first = try #require(session(try project.signIn(who, from: .somewhere)))
    #expect(first.isNewUser && first.user.isEmailVerified)
    #expect(first.signIn.provider == "google.com")
    let second = try #require(session(try project.signIn(who, from: .somewhere)))
    #expect(!second.isNewUser && second.user.uid == first.user.uid)
    let claims = try JSONWebToken(parsing: second.idToken).claims
    #expect(
      claims["firebase"]?["identities"]?["google.com"]?.elements?.first?.string == "g-1"
    )
    expect(.userNotFound) {
      _ = try project.signIn(
        identity("g-2", nil, isVerified: false),
        creates: false,
        from: .somewhere
      )
    }
  }

  @Test func `pre-hijack: an unverified e-mail is never linked`() throws {
    _ = try project.signUp(email: "ana@example.com", password: "her own password", from: .somewhere)
    let unverified = identity("g-1", "ana@example.com", isVerified: false)
    guard
      case .needsConfirmation(let providers, nil) = try project.signIn(unverified, from: .somewhere)
    else {
      Issue.record("signed in with an address that nobody vouched for")
      return
    }
    #expect(providers == ["password"])
    #expect(try project.user(provider: "google.com", rawID: "g-1") == nil)
  }

  @Test func `pre-hijack: a verified provider drops credentials that were never verified`() throws {
    // Somebody waits in an account that he made with her address.
    let squatter = try project.signUp(
      email: "ana@example.com",
      password: "the attacker's",
      from: .elsewhere
    )
    var link = UserUpdate()
    link.linkedProvider = LinkedProvider(providerID: "github.com", rawID: "attacker")
    link.phoneNumber = .set("+5511900000000")
    _ = try project.update(squatter.user.uid, link)
    let ana = identity("g-1", "ana@example.com", isVerified: true)
    let session = try #require(session(try project.signIn(ana, from: .somewhere)))
    #expect(session.user.uid == squatter.user.uid)
    #expect(session.user.providerIDs == ["google.com"])
    #expect(session.user.isEmailVerified)
    expect(.invalidLoginCredentials) {
      _ = try project.signIn(email: "ana@example.com", password: "the attacker's", from: .elsewhere)
    }
    expect(.tokenExpired) { _ = try project.signedIn(squatter.idToken) }
    #expect(throws: AccountError.self) { try fixture.accounts.refresh(squatter.refreshToken) }
    #expect(try project.user(provider: "github.com", rawID: "attacker") == nil)
  }

  @Test func `a verified account keeps its password when a provider joins it`() throws {
    let own = try project.signUp(
      email: "ana@example.com",
      password: "her own password",
      from: .somewhere
    )
    var verify = UserUpdate()
    verify.isEmailVerified = true
    _ = try project.update(own.user.uid, verify)
    let ana = identity("g-1", "ana@example.com", isVerified: true)
    let session = try #require(session(try project.signIn(ana, from: .somewhere)))
    #expect(session.user.providerIDs == ["password", "google.com"])
    _ = try project.signedIn(own.idToken)
  }

  @Test func `what a provider vouches for replaces an older profile`() throws {
    let own = try project.create(NewUser(email: "ana@example.com", displayName: "Impostor"))
    var ana = identity("g-1", "ana@example.com", isVerified: true)
    let first = try project.signIn(ana, from: .somewhere)
    guard case .outcome(let outcome, false) = first else {
      Issue.record("another person at once")
      return
    }
    #expect(outcome.session?.user.uid == own.uid && outcome.session?.user.displayName == nil)
    // The provider gave the address to somebody else: the account has one identity of it, the newer.
    ana = identity("g-2", "ana@example.com", isVerified: true)
    guard case .outcome(let second, true) = try project.signIn(ana, from: .somewhere) else {
      Issue.record("the address did not go on")
      return
    }
    #expect(second.session?.user.providers.map(\.rawID) == ["g-2"])
  }

  @Test func `an identity is linked to one account only`() throws {
    let first = try project.signUpAnonymously(from: .somewhere)
    let second = try project.signUpAnonymously(from: .somewhere)
    let who = identity("g-1", "ana@example.com", isVerified: true)
    let linked = try project.link(who, idToken: first.idToken)
    #expect(linked.user.uid == first.user.uid && !linked.user.isAnonymous)
    #expect(linked.user.email?.string == "ana@example.com")
    expect(.federatedUserIDAlreadyLinked) { _ = try project.link(who, idToken: second.idToken) }
    expect(.emailExists) {
      let other = identity("g-2", "ana@example.com", isVerified: true)
      _ = try project.link(other, idToken: second.idToken)
    }
    // Nothing of the refused links stayed.
    #expect(try project.user(second.user.uid)?.isAnonymous == true)
    var unlink = UserUpdate()
    unlink.unlinkedProviders = ["google.com"]
    _ = try project.update(first.user.uid, unlink)
    #expect(try project.user(provider: "google.com", rawID: "g-1") == nil)
    _ = try project.link(identity("g-1", nil, isVerified: false), idToken: second.idToken)
  }

  @Test func `an anonymous user becomes one with a password and keeps his uid`() throws {
    let anonymous = try project.signUpAnonymously(from: .somewhere)
    fixture.clock.advance(seconds: 1_000)
    let upgraded = try project.linkPassword(
      idToken: anonymous.idToken,
      email: "ana@example.com",
      password: "her own password",
      from: .somewhere
    )
    #expect(upgraded.user.uid == anonymous.user.uid)
    #expect(upgraded.user.providerIDs == ["password"])
    let signedIn = try project.signIn(
      email: "ana@example.com",
      password: "her own password",
      from: .somewhere
    )
    #expect(signedIn.session?.user.uid == anonymous.user.uid)
    // The same with an old sign-in of the account that it is now would take it over.
    fixture.clock.advance(seconds: 1_000)
    expect(.credentialTooOld) {
      _ = try project.linkPassword(
        idToken: upgraded.idToken,
        email: "ana@example.com",
        password: "another password",
        from: .somewhere
      )
    }
  }

  @Test func `new credentials need a fresh sign-in, names do not`() throws {
    let session = try project.signUp(
      email: "ana@example.com",
      password: "her own password",
      from: .somewhere
    )
    fixture.clock.advance(seconds: 301)
    var rename = ProjectAccounts.OwnUpdate()
    rename.displayName = .set("Ana")
    #expect(
      try project.updateOwn(idToken: session.idToken, rename, from: .somewhere).session == nil
    )
    var change = ProjectAccounts.OwnUpdate()
    change.password = "a new password"
    expect(.credentialTooOld) {
      _ = try project.updateOwn(idToken: session.idToken, change, from: .somewhere)
    }
    let again = try project.signIn(
      email: "ana@example.com",
      password: "her own password",
      from: .somewhere
    ).session
    let fresh = try #require(again)
    let changed = try project.updateOwn(idToken: fresh.idToken, change, from: .somewhere)
    // Her other sessions ended, and she has new tokens.
    expect(.tokenExpired) { _ = try project.signedIn(session.idToken) }
    _ = try project.signedIn(try #require(changed.session).idToken)
  }

  @Test func `deleting an account needs a fresh sign-in`() throws {
    let who = identity("g-1", nil, isVerified: false)
    let old = try #require(session(try project.signIn(who, from: .somewhere)))
    fixture.clock.advance(seconds: 301)
    expect(.credentialTooOld) { try project.deleteOwn(idToken: old.idToken) }
    let fresh = try #require(session(try project.signIn(who, from: .somewhere)))
    try project.deleteOwn(idToken: fresh.idToken)
    #expect(try project.user(old.user.uid) == nil)
  }
}
