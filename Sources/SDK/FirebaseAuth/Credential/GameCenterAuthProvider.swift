import FirebaseCore
import Foundation

#if canImport(GameKit)
import GameKit
#endif

/// Game Center, which Apple's systems alone have.
///
/// Brasa does not take its credentials and responds `operationNotAllowed`. On other systems there are none, and the call
/// throws that error itself.
public final class GameCenterAuthProvider: NSObject, Sendable {
  /// The provider's id.
  public static let id = "gc.apple.com"

  /// The credential of the player signed in to Game Center.
  public class func getCredential() async throws -> AuthCredential {
    #if canImport(GameKit)
    let player = await GKLocalPlayer.local
    guard await player.isAuthenticated else {
      throw AuthErrorCode.localPlayerNotAuthenticated.error()
    }
    let (keyURL, signature, salt, timestamp) =
      try await player.fetchItemsForIdentityVerificationSignature()
    return GameCenterAuthCredential([
      "playerId": .text(await player.gamePlayerID),
      "teamPlayerId": .text(await player.teamPlayerID),
      "gamePlayerId": .text(await player.gamePlayerID),
      "displayName": .text(await player.displayName),
      "publicKeyUrl": .text(keyURL.absoluteString),
      "signature": .text(signature.base64EncodedString()),
      "salt": .text(salt.base64EncodedString()), "timestamp": .text("\(timestamp)"),
    ])
    #else
    throw AuthErrorCode.operationNotAllowed.error("Game Center is not available on this system.")
    #endif
  }

  /// The credential of the player signed in to Game Center; delivered on the main queue.
  public class func getCredential(
    completion: @escaping (AuthCredential?, (any Error)?) -> Void
  ) {
    AppCallback(completion).deliver(on: .main) { try await getCredential() }
  }
}

/// Game Center's proof of a player's identity.
final class GameCenterAuthCredential: AuthCredential, @unchecked Sendable {
  private let fields: [String: AuthField]

  init(_ fields: [String: AuthField]) {
    self.fields = fields
    super.init(provider: GameCenterAuthProvider.id)
  }

  override func request(
    linkingTo idToken: String?,
    _ use: CredentialUse
  ) throws -> AuthRequest<SessionAnswer> {
    var fields: [String: AuthField?] = fields
    fields["idToken"] = .optional(idToken)
    return AuthRequest("v1/accounts:signInWithGameCenter", .identity, fields)
  }
}
