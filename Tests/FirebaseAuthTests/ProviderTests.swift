import FirebaseAuth
import Foundation
import Testing

/// Identity providers: development takes their claims without a proof.
struct ProviderTests {
  private func credential(
    _ provider: AuthProviderID = .google,
    sub: String,
    _ more: String = ""
  ) -> OAuthCredential {
    OAuthProvider.credential(providerID: provider, idToken: "{\"sub\":\"\(sub)\"\(more)}")
  }

  private let claims =
    #","email":"ana@example.com","email_verified":true,"name":"Ana & Bia + C","picture":"https://x.example/a.png""#

  @Test func `a provider's claims make an account`() async throws {
    let fixture = try await AuthFixture()
    let result = try await fixture.auth.signIn(with: credential(sub: "g-1", claims))
    #expect(result.additionalUserInfo?.providerID == "google.com")
    #expect(result.additionalUserInfo?.isNewUser == true)
    #expect(result.additionalUserInfo?.profile?["name"] as? String == "Ana & Bia + C")
    #expect(result.credential?.idToken != nil && result.credential?.provider == "google.com")
    let user = result.user
    #expect(user.email == "ana@example.com" && user.isEmailVerified)
    #expect(user.displayName == "Ana & Bia + C")
    #expect(user.photoURL == URL(string: "https://x.example/a.png"))
    let google = try #require(user.providerData.first)
    #expect(google.providerID == "google.com" && google.uid == "g-1")
    #expect(google.displayName == "Ana & Bia + C" && google.photoURL == user.photoURL)
    let again = try await fixture.auth.signIn(with: credential(sub: "g-1", claims))
    #expect(again.user.uid == user.uid && again.additionalUserInfo?.isNewUser == false)
  }

  @Test func `an OpenID provider is linked and taken away`() async throws {
    let fixture = try await AuthFixture()
    let user = try await fixture.signUp()
    let corporate = credential(.custom("oidc.corp"), sub: "c-1")
    let linked = try await user.link(with: corporate)
    #expect(linked.user === user)
    #expect(Set(user.providerData.map(\.providerID)) == ["password", "oidc.corp"])
    #expect(await authFailure { try await user.link(with: corporate) } == .providerAlreadyLinked)
    try await user.unlink(fromProvider: "oidc.corp")
    #expect(user.providerData.map(\.providerID) == ["password"])
    #expect(
      await authFailure { try await user.unlink(fromProvider: "oidc.corp") } == .noSuchProvider
    )
  }

  @Test func `a credential of another account can still sign in`() async throws {
    let fixture = try await AuthFixture()
    let first = try await fixture.auth.signIn(with: credential(sub: "g-1")).user
    let second = try await fixture.signUp("bia@example.com")
    do {
      try await second.link(with: credential(sub: "g-1"))
      Issue.record("linked what is linked elsewhere")
    } catch let error as NSError {
      #expect(error.code == AuthErrorCode.credentialAlreadyInUse.rawValue)
      let key = AuthErrors.userInfoUpdatedCredentialKey
      let updated = try #require(error.userInfo[key] as? AuthCredential)
      #expect(try await fixture.auth.signIn(with: updated).user.uid == first.uid)
    }
  }

  @Test func `an unverified address of somebody's is not taken over`() async throws {
    let fixture = try await AuthFixture()
    try await fixture.signUp()
    let impostor = credential(sub: "g-9", #","email":"ana@example.com","email_verified":false"#)
    do {
      try await fixture.auth.signIn(with: impostor)
      Issue.record("took over an account")
    } catch let error as NSError {
      #expect(error.code == AuthErrorCode.accountExistsWithDifferentCredential.rawValue)
      #expect(error.userInfo[AuthErrors.userInfoEmailKey] as? String == "ana@example.com")
    }
  }

  @Test func `a claim that is none is an invalid credential`() async throws {
    let fixture = try await AuthFixture()
    let broken = OAuthProvider.credential(providerID: .google, idToken: "{")
    #expect(await authFailure { try await fixture.auth.signIn(with: broken) } == .invalidCredential)
  }
}
