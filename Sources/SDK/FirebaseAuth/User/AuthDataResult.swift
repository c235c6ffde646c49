import Foundation

/// Who signed in, and how.
public final class AuthDataResult: NSObject, Sendable {
  /// The person.
  public let user: User
  /// What the provider says beyond the account.
  public let additionalUserInfo: AdditionalUserInfo?
  /// The provider's credential, for calls of the provider's own API.
  public let credential: OAuthCredential?

  init(user: User, additionalUserInfo: AdditionalUserInfo?, credential: OAuthCredential?) {
    self.user = user
    self.additionalUserInfo = additionalUserInfo
    self.credential = credential
  }
}

/// What a provider says of a person beyond the account.
public final class AdditionalUserInfo: NSObject, Sendable {
  /// The provider.
  public let providerID: String
  /// The person's name with the provider.
  public let username: String?
  /// Whether the account was made by this sign-in.
  public let isNewUser: Bool
  private let json: String?

  init(providerID: String, isNewUser: Bool, username: String? = nil, json: String? = nil) {
    self.providerID = providerID
    self.isNewUser = isNewUser
    self.username = username
    self.json = json
  }

  /// The provider's own description of the person.
  public var profile: [String: Any]? {
    json.flatMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
  }
}
