import Foundation

/// The servers of Apple that a token is for.
public enum AuthAPNSTokenType: Int, Sendable {
  /// It is found out.
  case unknown = 0
  /// Those of development.
  case sandbox = 1
  /// Those of apps from the store.
  case prod = 2
}

// The app's proof of its identity to Google. Brasa asks for none of it, and Google only for
// telephone numbers.

extension Auth {
  /// The device's token for Apple's messages, as it was handed over.
  public var apnsToken: Data? {
    get { deviceToken.withLock { $0 } }
    set { deviceToken.withLock { $0 = newValue } }
  }

  /// Takes the device's token for Apple's messages.
  public func setAPNSToken(_ token: Data, type: AuthAPNSTokenType) { apnsToken = token }

  /// Returns true if a message is for this library: none is, since none proves an app.
  public func canHandleNotification(_ userInfo: [AnyHashable: Any]) -> Bool { false }

  /// Returns true if an address is for this library: none is, since pages of providers are opened
  /// by `FirebaseUI`.
  public func canHandle(_ url: URL) -> Bool { false }

  /// Asks the server whether people must prove that they are human.
  ///
  /// Throws `recaptchaSDKNotLinked` where they must: the SDK has nothing for it. Brasa never asks.
  public func initializeRecaptchaConfig() async throws {
    let answer = try await send(
      AuthRequest<RecaptchaAnswer>(
        "v2/recaptchaConfig",
        method: .get,
        ["clientType": .text("CLIENT_TYPE_IOS"), "version": .text("RECAPTCHA_ENTERPRISE")]
      )
    )
    let states = (answer.recaptchaEnforcementState ?? []).compactMap(\.enforcementState)
    if states.contains("ENFORCE") { throw AuthErrorCode.recaptchaSDKNotLinked.error() }
  }

  /// Asks the server whether people must prove that they are human.
  public func initializeRecaptchaConfig(completion: (((any Error)?) -> Void)?) {
    deliver(to: completion) { try await self.initializeRecaptchaConfig() }
  }

  /// Notifies Apple that the app is no longer used, with the code of a sign-in by Apple.
  ///
  /// Brasa does not speak to Apple and answers `operationNotAllowed`.
  public func revokeToken(withAuthorizationCode authorizationCode: String) async throws {
    guard let user = currentUser else { throw AuthErrorCode.nullUser.error() }
    let _: EmptyAnswer = try await user.send { token in
      AuthRequest(
        "v2/accounts:revokeToken",
        .identity,
        [
          "providerId": .text(AuthProviderID.apple.rawValue), "tokenType": .text("CODE"),
          "token": .text(authorizationCode), "idToken": .text(token),
        ]
      )
    }
  }

  /// Notifies Apple that the app is no longer used, with the code of a sign-in by Apple.
  public func revokeToken(
    withAuthorizationCode authorizationCode: String,
    completion: (((any Error)?) -> Void)? = nil
  ) {
    deliver(to: completion) {
      try await self.revokeToken(withAuthorizationCode: authorizationCode)
    }
  }
}

/// The server's response of who must prove to be human.
private struct RecaptchaAnswer: Decodable, Sendable {
  struct Provider: Decodable, Sendable {
    var enforcementState: String?
  }

  var recaptchaEnforcementState: [Provider]?
}
