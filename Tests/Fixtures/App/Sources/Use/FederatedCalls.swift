import FirebaseAuth
import Foundation

#if canImport(UIKit)
import UIKit
#endif

// Telephone numbers, providers' pages, groups of programs and what only Apple's systems have.

/// Every call of telephone numbers.
public func phone(_ auth: Auth, _ user: User, _ session: MultiFactorSession) async throws {
  print(PhoneAuthProvider.id, PhoneAuthProvider.provider() === PhoneAuthProvider.provider())
  let provider = PhoneAuthProvider.provider(auth: auth)
  provider.verifyPhoneNumber("+5511999990000", uiDelegate: nil) { id, error in
    print(id ?? "", error ?? "sent")
  }
  provider.verifyPhoneNumber("+5511999990000", uiDelegate: nil, multiFactorSession: session) {
    id,
    _ in
    print(id ?? "")
  }
  let id = try await provider.verifyPhoneNumber("+5511999990000", uiDelegate: nil)
  print(
    try await provider.verifyPhoneNumber(
      "+5511999990000",
      uiDelegate: nil,
      multiFactorSession: session
    )
  )
  for case let factor as PhoneMultiFactorInfo in user.multiFactor.enrolledFactors {
    provider.verifyPhoneNumber(with: factor, uiDelegate: nil, multiFactorSession: session) {
      id,
      _ in
      print(id ?? "")
    }
    print(
      try await provider.verifyPhoneNumber(
        with: factor,
        uiDelegate: nil,
        multiFactorSession: session
      )
    )
  }
  let credential: PhoneAuthCredential = provider.credential(
    withVerificationID: id,
    verificationCode: "123456"
  )
  user.updatePhoneNumber(credential) { error in print(error ?? "changed") }
  try await user.updatePhoneNumber(credential)
  try await auth.signIn(with: credential)
  let assertion: PhoneMultiFactorAssertion = PhoneMultiFactorGenerator.assertion(with: credential)
  try await user.multiFactor.enroll(with: assertion, displayName: "phone")
}

/// Every call of providers' pages.
public func pages(_ auth: Auth, _ user: User) async throws {
  let provider: OAuthProvider = OAuthProvider(providerID: "github.com", auth: auth)
  let federated: FederatedAuthProvider = provider
  print(OAuthProvider.provider(providerID: .apple, auth: auth) == provider)
  let done: (AuthDataResult?, Error?) -> Void = { result, _ in print(result?.user.uid ?? "") }
  auth.signIn(with: federated, uiDelegate: nil, completion: done)
  user.reauthenticate(with: federated, uiDelegate: nil, completion: done)
  user.link(with: federated, uiDelegate: nil, completion: done)
  provider.getCredentialWith(nil) { credential, _ in print(credential?.provider ?? "") }
  let credential: AuthCredential = try await provider.credential(with: nil)
  let result: AuthDataResult = try await auth.signIn(with: federated, uiDelegate: nil)
  try await user.reauthenticate(with: federated, uiDelegate: nil)
  try await user.link(with: federated, uiDelegate: nil)
  print(credential.provider, result.user.uid)
}

/// A presenter of providers' pages.
public final class Pages: NSObject, AuthUIDelegate {
  #if canImport(UIKit)
  /// Shows a screen.
  public func present(
    _ viewControllerToPresent: UIViewController,
    animated flag: Bool,
    completion: (() -> Void)?
  ) {}

  /// Takes it away.
  public func dismiss(animated flag: Bool, completion: (() -> Void)?) {}
  #endif
}

/// Sessions of groups of programs.
public func groups(_ auth: Auth) throws {
  auth.shareAuthStateAcrossDevices = !auth.shareAuthStateAcrossDevices
  try auth.useUserAccessGroup("group.com.example")
  print(auth.userAccessGroup ?? "", try auth.getStoredUser(forAccessGroup: nil)?.uid ?? "nobody")
}

/// Makes the calls that prove an app, and passes on Apple's messages.
public func verification(_ auth: Auth, _ token: Data, _ url: URL) async throws {
  auth.initializeRecaptchaConfig { error in print(error ?? "initialized") }
  try await auth.initializeRecaptchaConfig()
  auth.setAPNSToken(token, type: AuthAPNSTokenType.unknown)
  auth.setAPNSToken(token, type: .sandbox)
  auth.setAPNSToken(token, type: .prod)
  print(auth.apnsToken ?? Data(), auth.canHandleNotification([:]), auth.canHandle(url))
  auth.revokeToken(withAuthorizationCode: "code") { error in print(error ?? "revoked") }
  try await auth.revokeToken(withAuthorizationCode: "code")
  #if canImport(GameKit)
  GameCenterAuthProvider.getCredential { credential, _ in print(credential?.provider ?? "") }
  print(try await GameCenterAuthProvider.getCredential().provider, GameCenterAuthProvider.id)
  #endif
}

/// Opens an authenticator app with a secret.
public func open(_ secret: TOTPSecret) {
  let url = secret.generateQRCodeURL(withAccountName: "ana@example.com", issuer: "Shop")
  secret.openInOTPApp(withQRCodeURL: url)
}
