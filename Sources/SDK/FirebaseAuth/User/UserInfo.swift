import Foundation

/// A provider's facts about a person.
public protocol UserInfo: NSObjectProtocol, Sendable {
  /// The provider.
  var providerID: String { get }
  /// The person's id with the provider.
  var uid: String { get }
  /// The person's name.
  var displayName: String? { get }
  /// The address of the person's picture.
  var photoURL: URL? { get }
  /// The person's email address.
  var email: String? { get }
  /// The person's telephone number.
  var phoneNumber: String? { get }
}

/// A linked provider's facts about a person.
final class ProviderUserInfo: NSObject, UserInfo, Sendable {
  private let provider: UserProfile.Provider

  init(_ provider: UserProfile.Provider) { self.provider = provider }

  var providerID: String { provider.providerID }
  var uid: String { provider.uid }
  var displayName: String? { provider.displayName }
  var photoURL: URL? { provider.photoURL.flatMap(URL.init) }
  var email: String? { provider.email }
  var phoneNumber: String? { provider.phoneNumber }
}

/// The times at which an account was created and last used.
public final class UserMetadata: NSObject, NSSecureCoding, Sendable {
  /// The time at which the account was created.
  public let creationDate: Date?
  /// The time of the last sign-in.
  public let lastSignInDate: Date?

  init(creationDate: Date?, lastSignInDate: Date?) {
    self.creationDate = creationDate
    self.lastSignInDate = lastSignInDate
  }

  // MARK: Archives

  /// True: an archive's content is checked by its type.
  public static var supportsSecureCoding: Bool { true }

  private struct Content: Codable {
    var creationDate: Date?
    var lastSignInDate: Date?
  }

  /// Reads it from an archive.
  public convenience init?(coder: NSCoder) {
    guard let content = JSONArchive.read(Content.self, from: coder) else { return nil }
    self.init(creationDate: content.creationDate, lastSignInDate: content.lastSignInDate)
  }

  /// Writes it to an archive.
  public func encode(with coder: NSCoder) {
    let content = Content(creationDate: creationDate, lastSignInDate: lastSignInDate)
    JSONArchive.write(content, to: coder)
  }
}
