import FirebaseAuth
import FirebaseCore
import Foundation

// What the account model leaves out.

/// Settings of accounts.
public func settings(of auth: Auth) {
  auth.languageCode = nil
  auth.useAppLanguage()
  auth.tenantID = nil
  auth.customAuthDomain = "auth.example.com"
  let settings: AuthSettings? = auth.settings
  settings?.isAppVerificationDisabledForTesting = true
  auth.useEmulator(withHost: "localhost", port: 9_099)
  print(auth.app?.name ?? "", auth.app.map { Auth.auth(app: $0) } == auth)
}

/// Every call with a callback.
public func callbacks(_ auth: Auth, _ credential: AuthCredential, _ code: String) {
  let email = "ana@example.com"
  let signedIn: (AuthDataResult?, Error?) -> Void = { result, error in
    let more: AdditionalUserInfo? = result?.additionalUserInfo
    let given: OAuthCredential? = result?.credential
    print(
      more?.isNewUser ?? false,
      more?.providerID ?? "",
      more?.profile ?? [:],
      more?.username ?? ""
    )
    print(given?.idToken ?? "", given?.accessToken ?? "", given?.secret ?? "", error ?? "")
  }
  let done: (Error?) -> Void = { print($0 ?? "done") }
  auth.signIn(withEmail: email, link: code, completion: signedIn)
  auth.signIn(with: credential, completion: signedIn)
  auth.signInAnonymously(completion: signedIn)
  auth.signInAnonymously()
  auth.signIn(withCustomToken: code, completion: signedIn)
  auth.updateCurrentUser(auth.currentUser, completion: done)
  auth.confirmPasswordReset(withCode: code, newPassword: "secret", completion: done)
  auth.checkActionCode(code) { (info: ActionCodeInfo?, error) in
    switch info?.operation {
    case .passwordReset?, .verifyEmail?, .recoverEmail?, .emailLink?: print(info?.email ?? "")
    case .verifyAndChangeEmail?: print(info?.previousEmail ?? "")
    case .revertSecondFactorAddition?, .unknown?, nil: print(error ?? "none")
    @unknown default: break
    }
  }
  auth.verifyPasswordResetCode(code) { email, error in print(email ?? "", error ?? "") }
  auth.applyActionCode(code, completion: done)
  auth.sendPasswordReset(withEmail: email)
  auth.sendPasswordReset(withEmail: email, actionCodeSettings: actionCode(), completion: done)
  auth.sendSignInLink(toEmail: email, actionCodeSettings: actionCode(), completion: done)
  let handle: IDTokenDidChangeListenerHandle = auth.addIDTokenDidChangeListener { auth, user in
    print(auth.currentUser == user)
  }
  auth.removeIDTokenDidChangeListener(handle)
  let observer = NotificationCenter.default.addObserver(
    forName: .AuthStateDidChange,
    object: auth,
    queue: nil
  ) { print($0.name == Auth.authStateDidChangeNotification) }
  NotificationCenter.default.removeObserver(observer)
}

/// Returns the settings for an email's link.
public func actionCode() -> ActionCodeSettings {
  let settings = ActionCodeSettings()
  settings.url = URL(string: "https://shop.example.com")
  settings.handleCodeInApp = true
  settings.iOSBundleID = "com.example.shop"
  settings.linkDomain = "shop.example.com"
  settings.setAndroidPackageName(
    "com.example.shop",
    installIfNotAvailable: true,
    minimumVersion: "1"
  )
  print(settings.androidPackageName ?? "", settings.androidMinimumVersion ?? "")
  print(settings.androidInstallIfNotAvailable)
  if let link = ActionCodeURL(link: "https://shop.example.com?oobCode=x&mode=signIn") {
    print(link.apiKey ?? "", link.operation, link.code ?? "", link.continueURL ?? "")
    print(link.languageCode ?? "")
  }
  return settings
}

/// Every credential.
public func credentials(_ token: String) -> [AuthCredential] {
  let provider = OAuthProvider(providerID: "oidc.corporate")
  provider.scopes = ["email"]
  provider.customParameters = ["prompt": "login"]
  print(OAuthProvider.provider(providerID: "apple.com").providerID, EmailAuthProvider.id)
  let ids: [AuthProviderID] = [
    .apple, .email, .facebook, .gameCenter, .gitHub, .google, .phone, .custom("saml.corporate"),
  ]
  print(ids.map(\.rawValue), GoogleAuthProvider.id, FacebookAuthProvider.id)
  print(GitHubAuthProvider.id, TwitterAuthProvider.id)
  return [
    EmailAuthProvider.credential(withEmail: "ana@example.com", link: token),
    FacebookAuthProvider.credential(withAccessToken: token),
    GoogleAuthProvider.credential(withIDToken: token, accessToken: token),
    GitHubAuthProvider.credential(withToken: token),
    TwitterAuthProvider.credential(withToken: token, secret: token),
    OAuthProvider.appleCredential(withIDToken: token, rawNonce: token, fullName: nil),
    OAuthProvider.credential(providerID: .apple, idToken: token, rawNonce: token),
    OAuthProvider.credential(providerID: .google, idToken: token, accessToken: token),
    OAuthProvider.credential(withProviderID: "github.com", accessToken: token),
    OAuthProvider.credential(withProviderID: "oidc.a", idToken: token, accessToken: token),
  ]
}

/// Every call of a person's account, with a callback.
public func account(_ user: User, _ credential: AuthCredential) {
  let done: (Error?) -> Void = { print($0 ?? "done") }
  let result: (AuthDataResult?, Error?) -> Void = { result, _ in print(result?.user.uid ?? "") }
  user.reload(completion: done)
  user.updatePassword(to: "secret", completion: done)
  user.delete(completion: done)
  user.reauthenticate(with: credential, completion: result)
  user.link(with: credential, completion: result)
  user.unlink(fromProvider: "google.com") { user, error in print(user ?? "", error ?? "") }
  user.sendEmailVerification(completion: done)
  user.sendEmailVerification(with: actionCode(), completion: done)
  user.sendEmailVerification(beforeUpdatingEmail: "bia@example.com", completion: done)
  user.sendEmailVerification(
    beforeUpdatingEmail: "bia@example.com",
    actionCodeSettings: actionCode(),
    completion: done
  )
  user.getIDToken { token, error in print(token ?? "", error ?? "") }
  user.getIDTokenForcingRefresh(true) { token, error in print(token ?? "", error ?? "") }
  user.getIDTokenResult { (result: AuthTokenResult?, _) in
    print(result?.token ?? "", result?.expirationDate ?? Date(), result?.authDate ?? Date())
    print(result?.issuedAtDate ?? Date(), result?.signInProvider ?? "")
    print(result?.signInSecondFactor ?? "")
  }
  user.getIDTokenResult(forcingRefresh: true) { result, _ in print(result?.claims ?? [:]) }
  let metadata: UserMetadata = user.metadata
  print(metadata.creationDate ?? Date(), metadata.lastSignInDate ?? Date(), user.refreshToken ?? "")
  print(user.isAnonymous, user.isEmailVerified, user.tenantID ?? "", user.phoneNumber ?? "")
  let infos: [UserInfo] = user.providerData
  for info in infos { print(info.displayName ?? "", info.photoURL ?? "", info.email ?? "") }
  let change: UserProfileChangeRequest = user.createProfileChangeRequest()
  change.photoURL = nil
}

/// The same, asynchronous.
public func tasks(_ auth: Auth, _ user: User, _ code: String) async throws {
  try await auth.updateCurrentUser(user)
  try await auth.confirmPasswordReset(withCode: code, newPassword: "secret")
  print(try await auth.checkActionCode(code).operation == ActionCodeOperation.emailLink)
  print(try await auth.verifyPasswordResetCode(code))
  try await auth.applyActionCode(code)
  try await auth.sendPasswordReset(withEmail: "ana@example.com")
  try await auth.sendPasswordReset(withEmail: "ana@example.com", actionCodeSettings: actionCode())
  try await auth.sendSignInLink(toEmail: "ana@example.com", actionCodeSettings: actionCode())
  try await user.sendEmailVerification()
  try await user.sendEmailVerification(with: actionCode())
  try await user.sendEmailVerification(beforeUpdatingEmail: "bia@example.com")
  print(try await user.getIDToken(forcingRefresh: true))
  print(try await user.idTokenForcingRefresh(true))
  print(try await user.getIDTokenResult().token)
  let change = user.createProfileChangeRequest()
  change.displayName = "Ana"
  try await change.commitChanges()
  for await user in auth.idTokenChanges { print(user?.uid ?? "nobody") }
}

/// Makes the calls that only old apps make.
@available(*, deprecated)
public func oldCalls(_ auth: Auth, _ user: User) async throws {
  auth.fetchSignInMethods(forEmail: "ana@example.com") { methods, _ in print(methods ?? []) }
  print(try await auth.fetchSignInMethods(forEmail: "ana@example.com"))
  user.updateEmail(to: "bia@example.com") { error in print(error ?? "done") }
  try await user.updateEmail(to: "bia@example.com")
}

/// Every call of second factors.
public func secondFactors(_ user: User, _ code: String) async throws {
  let factors: MultiFactor = user.multiFactor
  factors.getSessionWithCompletion { session, error in print(session ?? "", error ?? "") }
  let session: MultiFactorSession = try await factors.session()
  let secret: TOTPSecret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
  print(secret.sharedSecretKey())
  print(secret.generateQRCodeURL(withAccountName: "ana@example.com", issuer: "Shop"))
  let assertion: MultiFactorAssertion = TOTPMultiFactorGenerator.assertionForEnrollment(
    with: secret,
    oneTimePassword: code
  )
  try await factors.enroll(with: assertion, displayName: "phone")
  factors.enroll(with: assertion, displayName: nil) { error in print(error ?? "enrolled") }
  for factor: MultiFactorInfo in factors.enrolledFactors {
    print(factor.uid, factor.displayName ?? "", factor.enrollmentDate)
    switch factor.factorID {
    case TOTPMultiFactorID: print(factor is TOTPMultiFactorInfo)
    case PhoneMultiFactorID: print((factor as? PhoneMultiFactorInfo)?.phoneNumber ?? "")
    default: break
    }
    try await factors.unenroll(with: factor)
    try await factors.unenroll(withFactorUID: factor.uid)
    factors.unenroll(with: factor) { error in print(error ?? "gone") }
    factors.unenroll(withFactorUID: factor.uid) { error in print(error ?? "gone") }
  }
}
