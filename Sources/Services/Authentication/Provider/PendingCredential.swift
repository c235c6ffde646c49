import BaseText
import Crypto
import Foundation

/// A person confirmed by a provider, kept by the client until it links or signs in.
///
/// The client holds it as a sealed text: AES-GCM by a key of this server, bound to the project. It is valid for an hour, and
/// only while the provider is configured as it was. So codes, which count once, and access tokens, which prove nothing by
/// themselves, lead to an account that the person signs in to first.
struct PendingCredential: Codable {
  private let providerID: String
  private let rawID: String
  private let email: String?
  private let displayName: String?
  private let photoURL: String?
  private let screenName: String?
  private let isEmailVerified: Bool
  private let firstName: String?
  private let lastName: String?
  private let rawUserInfo: String
  private let idToken: String?
  private let accessToken: String?
  private let clientID: String?
  private let issuer: String?
  /// Seconds since 1970.
  private let end: Int64

  /// Seconds for which it is valid.
  private static let lifetime: Int64 = 3_600
  /// The longest text of a provider's own information that is kept.
  private static let longestInformation = 8_192
  /// The longest sealed text that is read.
  private static let longestText = 64 << 10

  init(_ profile: ProviderProfile, _ configuration: ProviderConfiguration?, at now: Int64) {
    let linked = profile.identity.profile
    providerID = linked.providerID.string
    rawID = linked.rawID.string
    email = linked.email
    displayName = linked.displayName
    photoURL = linked.photoURL
    screenName = linked.screenName
    isEmailVerified = profile.identity.isEmailVerified
    firstName = profile.firstName
    lastName = profile.lastName
    rawUserInfo =
      profile.rawUserInfo.utf8.count <= Self.longestInformation ? profile.rawUserInfo : "{}"
    idToken = profile.idToken
    accessToken = profile.accessToken
    clientID = configuration?.clientID
    issuer = configuration?.issuer
    end = now + Self.lifetime
  }

  /// The text for the client; nil where it would be too long to be read again.
  func sealed(for project: Text, by key: SymmetricKey) throws -> String? {
    let box = try AES.GCM.seal(
      try JSONEncoder().encode(self),
      using: key,
      authenticating: Data(project.string.utf8)
    )
    let text = box.combined.map { Base64.url(Array($0)) }
    return text.flatMap { $0.utf8.count <= Self.longestText ? $0 : nil }
  }

  /// Nil for a text that this server did not seal for the project.
  init?(sealed text: String, for project: Text, by key: SymmetricKey) {
    guard text.utf8.count <= Self.longestText, let bytes = Base64.decode(text),
      let box = try? AES.GCM.SealedBox(combined: Data(bytes)),
      let content = try? AES.GCM.open(box, using: key, authenticating: Data(project.string.utf8)),
      let found = try? JSONDecoder().decode(Self.self, from: content)
    else { return nil }
    self = found
  }

  /// The provider, by which its configuration is found.
  var provider: String { providerID }

  /// Returns true while the credential holds for the provider as it is configured.
  func isValid(for configuration: ProviderConfiguration?, at now: Int64) -> Bool {
    now < end && configuration?.clientID == clientID && configuration?.issuer == issuer
  }

  var profile: ProviderProfile {
    let linked = LinkedProvider(
      providerID: Text(providerID),
      rawID: Text(rawID),
      email: email,
      displayName: displayName,
      photoURL: photoURL,
      screenName: screenName
    )
    return ProviderProfile(
      identity: ProviderIdentity(profile: linked, isEmailVerified: isEmailVerified),
      firstName: firstName,
      lastName: lastName,
      rawUserInfo: rawUserInfo,
      idToken: idToken,
      accessToken: accessToken
    )
  }
}

extension IdentityProviders {
  /// The text by which the client may link the person, or sign him in, within an hour.
  package func pendingToken(
    _ profile: ProviderProfile,
    _ configuration: ProviderConfiguration?,
    project: Text
  ) throws -> String? {
    try PendingCredential(profile, configuration, at: now).sealed(for: project, by: pendingKey)
  }

  /// The person of a pending token.
  ///
  /// - Parameter configuration: Finds the configuration of the provider that the token names.
  package func profile(
    pendingToken text: String,
    project: Text,
    configuration: (_ providerID: String) async throws -> ProviderConfiguration?
  ) async throws -> (ProviderProfile, ProviderConfiguration?) {
    guard let pending = PendingCredential(sealed: text, for: project, by: pendingKey) else {
      throw Self.invalid(
        "The pending token belongs to another project. Sign in at the provider again."
      )
    }
    let found = try await configuration(pending.provider)
    guard found?.isEnabled ?? acceptsUnsigned else { throw AccountError(.operationNotAllowed) }
    guard pending.isValid(for: found, at: now) else {
      throw Self.invalid("The pending token is over an hour old. Sign in at the provider again.")
    }
    return (pending.profile, found)
  }
}
