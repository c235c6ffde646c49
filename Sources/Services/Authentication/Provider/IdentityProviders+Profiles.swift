import BaseText
import Crypto

// Profiles of providers without ID tokens.
//
// A token is accepted when it came from the code that the server itself redeemed. One that a client
// brings could be of any other app, and is refused.

extension IdentityProviders {
  /// The person of a GitHub access token.
  func gitHubProfile(_ credential: ProviderCredential) async throws -> ProviderProfile {
    let token = try Self.redeemedToken(credential, "GitHub")
    let authorization = "Bearer \(token)"
    let user = "https://api.github.com/user"
    let (person, _) = try await json(user, DocumentRequest(url: user, authorization: authorization))
    guard let id = person["id"]?.integer else { throw Self.invalid("GitHub named nobody.") }
    let list = "https://api.github.com/user/emails"
    let addresses = try? await json(list, DocumentRequest(url: list, authorization: authorization))
    let primary = addresses?.0.elements?.first { $0["primary"]?.boolean == true }
    let linked = LinkedProvider(
      providerID: "github.com",
      rawID: Text(String(id)),
      email: primary?["email"]?.string ?? person["email"]?.string,
      displayName: person["name"]?.string,
      photoURL: person["avatar_url"]?.string,
      screenName: person["login"]?.string
    )
    return ProviderProfile(
      identity: ProviderIdentity(
        profile: linked,
        isEmailVerified: primary?["verified"]?.boolean == true
      ),
      rawUserInfo: person.compact,
      accessToken: token
    )
  }

  /// The person of a Facebook access token.
  ///
  /// Facebook verifies no address, so that an account with the same one is never taken over.
  func facebookProfile(
    _ credential: ProviderCredential,
    _ configuration: ProviderConfiguration
  ) async throws -> ProviderProfile {
    let token = try Self.redeemedToken(credential, "Facebook")
    guard let secret = configuration.clientSecret else {
      throw AccountError(.operationNotAllowed, "Facebook needs the app's secret.")
    }
    let address = FacebookGraph.profile(of: token, secret: secret)
    let (person, _) = try await json(
      address,
      DocumentRequest(url: address, authorization: "Bearer \(token)")
    )
    guard let id = person["id"]?.string, !id.isEmpty, id.utf8.count <= 512 else {
      throw Self.invalid("Facebook named nobody.")
    }
    let linked = LinkedProvider(
      providerID: "facebook.com",
      rawID: Text(id),
      email: person["email"]?.string,
      displayName: person["name"]?.string,
      photoURL: person["picture"]?["data"]?["url"]?.string
    )
    return ProviderProfile(
      identity: ProviderIdentity(profile: linked, isEmailVerified: false),
      firstName: person["first_name"]?.string,
      lastName: person["last_name"]?.string,
      rawUserInfo: person.compact,
      accessToken: token
    )
  }

  private static func redeemedToken(
    _ credential: ProviderCredential,
    _ name: String
  ) throws -> String {
    guard credential.code != nil, let token = credential.accessToken else {
      throw AccountError(
        .operationNotAllowed,
        "\(name) needs an authorization code: an access token could belong to another app."
      )
    }
    return token
  }
}

/// Addresses of Facebook's graph.
enum FacebookGraph {
  static let address = "https://graph.facebook.com/v21.0"

  /// The address of the profile that belongs to a token, with the proof that the app has its secret.
  static func profile(of token: String, secret: String) -> String {
    let proof = HMAC<SHA256>.authenticationCode(
      for: Array(token.utf8),
      using: SymmetricKey(data: Array(secret.utf8))
    )
    return "\(address)/me?fields=id,name,first_name,last_name,email,picture"
      + "&appsecret_proof=\(Hexadecimal.text(proof))"
  }
}
