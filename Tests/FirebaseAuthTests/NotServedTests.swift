import FirebaseAuth
import Foundation
import Testing

/// Google's calls that Brasa does not serve: they say so with Google's numbers.
struct NotServedTests {
  private static func text(_ call: () async throws -> Void) async -> String? {
    do {
      try await call()
      return nil
    } catch { return (error as NSError).localizedDescription }
  }

  @Test func `telephone numbers are refused by the server`() async throws {
    let fixture = try await AuthFixture()
    let provider = PhoneAuthProvider.provider(auth: fixture.auth)
    let text = await Self.text { _ = try await provider.verifyPhoneNumber("+5511999990000") }
    #expect(text == "Sign-in by telephone number is not supported by this server.")
    let credential = provider.credential(withVerificationID: "id", verificationCode: "123456")
    #expect(credential.provider == "phone" && PhoneAuthProvider.id == "phone")
    let auth = fixture.auth
    #expect(await authFailure { try await auth.signIn(with: credential) } == .operationNotAllowed)
    let user = try await fixture.signUp()
    #expect(
      await authFailure { try await user.updatePhoneNumber(credential) } == .operationNotAllowed
    )
    #expect(await authFailure { try await user.link(with: credential) } == .operationNotAllowed)
    #expect(
      await authFailure { _ = try await provider.verifyPhoneNumber("") } == .missingPhoneNumber
    )
    let empty = provider.credential(withVerificationID: "id", verificationCode: "")
    #expect(await authFailure { try await auth.signIn(with: empty) } == .missingVerificationCode)
    #expect(auth.currentUser === user)
  }

  #if !canImport(GameKit)
  @Test func `Game Center is refused where it is not`() async throws {
    #expect(
      await authFailure { _ = try await GameCenterAuthProvider.getCredential() }
        == .operationNotAllowed
    )
    #expect(GameCenterAuthProviderID == "gc.apple.com")
  }
  #endif

  @Test func `second factors by text message are refused by the server`() async throws {
    let fixture = try await AuthFixture()
    let user = try await fixture.signUp()
    try await fixture.verifyEmail(of: user)
    let session = try await user.multiFactor.session()
    let provider = PhoneAuthProvider.provider(auth: fixture.auth)
    let begun = await authFailure {
      _ = try await provider.verifyPhoneNumber("+5511999990000", multiFactorSession: session)
    }
    #expect(begun == .operationNotAllowed)
    let credential = provider.credential(withVerificationID: "id", verificationCode: "123456")
    let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
    #expect(assertion.factorID == PhoneMultiFactorID)
    let ended = await authFailure {
      try await user.multiFactor.enroll(with: assertion, displayName: nil)
    }
    #expect(ended == .operationNotAllowed)
  }

  @Test func `a provider's page is FirebaseUI's`() async throws {
    let fixture = try await AuthFixture()
    let auth = fixture.auth
    let provider = OAuthProvider(providerID: "oidc.corp", auth: auth)
    let signIn = await authFailure { try await auth.signIn(with: provider, uiDelegate: nil) }
    #expect(signIn == .operationNotAllowed)
    let text = await Self.text { _ = try await provider.credential(with: nil) }
    #expect(text?.contains("FUIAuth") == true)
    let user = try await fixture.signUp()
    let link = await authFailure { try await user.link(with: provider, uiDelegate: nil) }
    #expect(link == .operationNotAllowed)
  }

  @Test func `a provider of the app's own signs in`() async throws {
    let fixture = try await AuthFixture()
    let result = try await fixture.auth.signIn(with: OwnProvider(), uiDelegate: nil)
    #expect(result.user.providerData.first?.providerID == "google.com")
  }

  @Test func `Apple's tokens are not revoked`() async throws {
    let fixture = try await AuthFixture()
    let auth = fixture.auth
    let failure = await authFailure { try await auth.revokeToken(withAuthorizationCode: "c") }
    #expect(failure == .nullUser)
    let user = try await fixture.signUp()
    let text = await Self.text { try await auth.revokeToken(withAuthorizationCode: "c") }
    #expect(text == "Revoking a provider's token is not supported by this server.")
    #expect(auth.currentUser === user)
  }

  @Test func `nobody must prove to be human, and no message is for accounts`() async throws {
    let auth = try await AuthFixture().auth
    try await auth.initializeRecaptchaConfig()
    auth.setAPNSToken(Data([1, 2]), type: .sandbox)
    #expect(auth.apnsToken == Data([1, 2]))
    #expect(!auth.canHandleNotification(["aps": ["alert": "x"]]))
    let url = try #require(URL(string: "app-1-42-linux-ab://firebaseauth/link"))
    #expect(!auth.canHandle(url))
  }
}

/// A provider that has its credential at once.
private final class OwnProvider: NSObject, FederatedAuthProvider {
  nonisolated(nonsending) func credential(
    with uiDelegate: (any AuthUIDelegate)?
  ) async throws -> AuthCredential {
    OAuthProvider.credential(providerID: .google, idToken: #"{"sub":"g-own"}"#)
  }
}
