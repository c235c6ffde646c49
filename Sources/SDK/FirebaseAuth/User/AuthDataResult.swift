import Foundation

/// The result of a sign-in: the user, and the facts about the sign-in.
public final class AuthDataResult: NSObject, NSSecureCoding, Sendable {
  /// The person.
  public let user: User
  /// The provider's facts beyond the account.
  public let additionalUserInfo: AdditionalUserInfo?
  /// The provider's credential, for calls of the provider's own API.
  public let credential: OAuthCredential?

  init(user: User, additionalUserInfo: AdditionalUserInfo?, credential: OAuthCredential?) {
    self.user = user
    self.additionalUserInfo = additionalUserInfo
    self.credential = credential
  }

  // MARK: Archives

  /// True: an archive's content is checked by its type.
  public static var supportsSecureCoding: Bool { true }

  /// Reads it from an archive; nil without a configured default app.
  public convenience init?(coder: NSCoder) {
    guard let user = coder.decodeObject(of: User.self, forKey: "user") else { return nil }
    self.init(
      user: user,
      additionalUserInfo: coder.decodeObject(of: AdditionalUserInfo.self, forKey: "info"),
      credential: coder.decodeObject(of: OAuthCredential.self, forKey: "credential")
    )
  }

  /// Writes it to an archive, with the session's tokens.
  public func encode(with coder: NSCoder) {
    coder.encode(user, forKey: "user")
    coder.encode(additionalUserInfo, forKey: "info")
    coder.encode(credential, forKey: "credential")
  }
}

/// A provider's facts about a person beyond the account.
public final class AdditionalUserInfo: NSObject, NSSecureCoding, Sendable {
  /// The provider.
  public let providerID: String
  /// The person's name with the provider.
  public let username: String?
  /// True if the account was created by this sign-in.
  public let isNewUser: Bool
  private let json: String?

  init(providerID: String, isNewUser: Bool, username: String? = nil, json: String? = nil) {
    self.providerID = providerID
    self.isNewUser = isNewUser
    self.username = username
    self.json = json
  }

  // MARK: Archives

  /// True: an archive's content is checked by its type.
  public static var supportsSecureCoding: Bool { true }

  private struct Content: Codable {
    var providerID: String
    var isNewUser: Bool
    var username: String?
    var json: String?
  }

  /// Reads it from an archive.
  public convenience init?(coder: NSCoder) {
    guard let content = JSONArchive.read(Content.self, from: coder) else { return nil }
    self.init(
      providerID: content.providerID,
      isNewUser: content.isNewUser,
      username: content.username,
      json: content.json
    )
  }

  /// Writes it to an archive.
  public func encode(with coder: NSCoder) {
    let content = Content(
      providerID: providerID,
      isNewUser: isNewUser,
      username: username,
      json: json
    )
    JSONArchive.write(content, to: coder)
  }

  /// The provider's own description of the person.
  public var profile: [String: Any]? {
    json.flatMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
  }
}
