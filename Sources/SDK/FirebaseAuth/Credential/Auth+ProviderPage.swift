import Foundation

/// A sign-in that began and continues at an identity provider's page.
package struct ProviderSignIn: Sendable {
  /// The provider, such as `google.com` or `oidc.corporate`.
  package let providerID: String
  /// The provider's page, for a browser.
  package let url: URL
  /// The server's name of the sign-in; the provider's answer is worth nothing without it.
  let sessionID: String
}

/// The server's response to the beginning of a sign-in.
private struct ProviderPageAnswer: Decodable {
  let authUri: String
  let sessionId: String
}

// Sign-in at a provider's own page, by the server's code flow with PKCE.

extension Auth {
  /// Begins a sign-in at a provider's page.
  ///
  /// - Parameters:
  ///   - providerID: The provider, as the server knows it.
  ///   - continueURL: The page to which the provider leads the browser afterwards; of a host that
  ///     the project allows.
  ///   - scopes: The scopes to ask the provider for; nil leaves them to the server.
  package func beginSignIn(
    providerID: String,
    continueURL: URL,
    scopes: [String]? = nil
  ) async throws -> ProviderSignIn {
    let answer = try await send(
      AuthRequest<ProviderPageAnswer>(
        "v1/accounts:createAuthUri",
        .identity,
        [
          "providerId": .text(providerID), "continueUri": .text(continueURL.absoluteString),
          "oauthScope": .optional(scopes?.joined(separator: " ")),
        ]
      )
    )
    guard let url = URL(string: answer.authUri) else {
      throw AuthErrorCode.internalError.error("The provider's address is malformed.")
    }
    return ProviderSignIn(providerID: providerID, url: url, sessionID: answer.sessionId)
  }

  /// Signs in with the address that a provider's page led back to.
  ///
  /// The server takes a response once, and only of the sign-in that it belongs to.
  package func finishSignIn(_ signIn: ProviderSignIn, answer: URL) async throws -> AuthDataResult {
    let session = try await send(
      AuthRequest<SessionAnswer>(
        "v1/accounts:signInWithIdp",
        .identity,
        [
          "requestUri": .text(answer.absoluteString), "sessionId": .text(signIn.sessionID),
          "postBody": .text("providerId=\(signIn.providerID)"), "autoCreate": .flag(true),
          "returnIdpCredential": .flag(true), "returnSecureToken": .flag(true),
        ]
      )
    )
    return try await finish(
      session,
      .signIn,
      provider: signIn.providerID,
      isNewUser: session.isNewUser
    )
  }
}
