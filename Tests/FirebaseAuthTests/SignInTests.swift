import FirebaseAuth
import Foundation
import Testing

/// Every way to sign in, against our own server.
struct SignInTests {
  private let password = AuthFixture.password
  private let email = AuthFixture.email

  @Test func `an account is made and signed in to by password`() async throws {
    let fixture = try await AuthFixture()
    let auth = fixture.auth
    let made = try await auth.createUser(withEmail: email, password: password)
    #expect(made.additionalUserInfo?.isNewUser == true)
    #expect(made.additionalUserInfo?.providerID == "password")
    #expect(auth.currentUser === made.user)
    #expect(made.user.email == email && !made.user.isAnonymous && !made.user.isEmailVerified)
    #expect(
      made.user.providerID == "Firebase" && made.user.providerData.map(\.providerID) == ["password"]
    )
    #expect(made.user.metadata.creationDate != nil)
    try auth.signOut()
    #expect(auth.currentUser == nil && fixture.store.data == nil)
    let again = try await auth.signIn(withEmail: email, password: password)
    #expect(again.user.uid == made.user.uid && again.user !== made.user)
    #expect(again.additionalUserInfo?.isNewUser == false)
  }

  @Test func `refusals have Google's numbers`() async throws {
    let fixture = try await AuthFixture()
    let auth = fixture.auth
    try await fixture.signUp()
    let cases: [(AuthErrorCode, () async throws -> Void)] = [
      (.emailAlreadyInUse, { try await auth.createUser(withEmail: email, password: password) }),
      (.invalidEmail, { try await auth.createUser(withEmail: "no address", password: password) }),
      (.weakPassword, { try await auth.createUser(withEmail: "b@example.com", password: "12") }),
      (.weakPassword, { try await auth.createUser(withEmail: "b@example.com", password: "") }),
      (.missingEmail, { try await auth.createUser(withEmail: "", password: password) }),
      (.wrongPassword, { try await auth.signIn(withEmail: email, password: "not this one") }),
      (.wrongPassword, { try await auth.signIn(withEmail: email, password: "") }),
      (.userNotFound, { try await auth.signIn(withEmail: "x@example.com", password: password) }),
      (.invalidCustomToken, { try await auth.signIn(withCustomToken: "nonsense") }),
      (.invalidActionCode, { try await auth.applyActionCode("nonsense") }),
      (.nullUser, { try await auth.updateCurrentUser(nil) }),
    ]
    for (code, call) in cases { #expect(await authFailure(call) == code) }
    #expect(auth.currentUser?.email == email)
  }

  @Test func `a guest keeps the account when it gets a password`() async throws {
    let fixture = try await AuthFixture()
    let guest = try await fixture.auth.signInAnonymously().user
    #expect(guest.isAnonymous && guest.email == nil && guest.providerData.isEmpty)
    let again = try await fixture.auth.signInAnonymously()
    #expect(again.user === guest && again.additionalUserInfo?.isNewUser == false)
    let credential = EmailAuthProvider.credential(withEmail: email, password: password)
    let linked = try await guest.link(with: credential)
    #expect(linked.user === guest && fixture.auth.currentUser === guest)
    #expect(!guest.isAnonymous && guest.email == email)
    #expect(await authFailure { try await guest.link(with: credential) } == .providerAlreadyLinked)
    let signedIn = try await fixture.auth.signIn(with: credential)
    #expect(signedIn.user.uid == guest.uid)
  }

  @Test func `the link of an email signs in`() async throws {
    let fixture = try await AuthFixture()
    let auth = fixture.auth
    let settings = ActionCodeSettings()
    settings.url = URL(string: "http://localhost/in")
    settings.handleCodeInApp = true
    auth.languageCode = "pt-BR"
    try await auth.sendSignInLink(toEmail: email, actionCodeSettings: settings)
    let sent = try #require(try await fixture.emails().first)
    #expect(sent.requestType == "EMAIL_SIGNIN" && auth.isSignIn(withEmailLink: sent.oobLink))
    #expect(ActionCodeURL(link: sent.oobLink)?.languageCode?.hasPrefix("pt") == true)
    let wrong = await authFailure {
      try await auth.signIn(withEmail: "other@example.com", link: sent.oobLink)
    }
    #expect(wrong == .invalidEmail)
    let result = try await auth.signIn(withEmail: email, link: sent.oobLink)
    #expect(result.user.isEmailVerified && result.additionalUserInfo?.isNewUser == true)
    let again = await authFailure { try await auth.signIn(withEmail: email, link: sent.oobLink) }
    #expect(again == .invalidActionCode)
  }

  @Test func `a custom token signs in with its claims`() async throws {
    let fixture = try await AuthFixture()
    let result = try await fixture.auth.signIn(
      withCustomToken: #"{"uid":"chosen","claims":{"role":"editor","level":3,"beta":true}}"#
    )
    #expect(result.user.uid == "chosen" && !result.user.isAnonymous)
    let token = try await result.user.getIDTokenResult()
    #expect(token.signInProvider == "custom" && token.signInSecondFactor == "")
    #expect(token.claims["role"] as? String == "editor")
    #expect(token.claims["level"] as? Int == 3 && token.claims["beta"] as? Bool == true)
    #expect(token.expirationDate.timeIntervalSince(token.issuedAtDate) == 3600)
  }

  @Test func `another app's user becomes current here`() async throws {
    let fixture = try await AuthFixture()
    let user = try await fixture.signUp()
    let other = fixture.restarted()
    try other.signOut()
    try await other.updateCurrentUser(user)
    #expect(other.currentUser?.uid == user.uid && other.currentUser !== user)
  }

  @Test func `a server that is not there is a network error`() async throws {
    let fixture = try await AuthFixture()
    // Nothing listens on port 1 of the loopback.
    fixture.auth.useEmulator(withHost: "127.0.0.1", port: 1)
    do {
      try await fixture.auth.signInAnonymously()
      Issue.record("signed in without a server")
    } catch let error as NSError {
      #expect(error.domain == "FIRAuthErrorDomain" && error.code == 17020)
      #expect(error.userInfo[NSUnderlyingErrorKey] is NSError)
      #expect(
        error.userInfo[AuthErrors.userInfoNameKey] as? String == "ERROR_NETWORK_REQUEST_FAILED"
      )
    }
  }

  @Test func `tenants are refused`() async throws {
    let fixture = try await AuthFixture()
    fixture.auth.tenantID = "nobody"
    #expect(await authFailure { try await fixture.signUp() } == .unsupportedTenantOperation)
  }
}
