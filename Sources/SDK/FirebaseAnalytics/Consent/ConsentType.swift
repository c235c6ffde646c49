/// A use of data that a user may consent to.
public struct ConsentType: RawRepresentable, Hashable, Sendable {
  /// The name of the type.
  public let rawValue: String

  /// A type of that name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Advertisements that are chosen for the user.
  public static let adPersonalization = ConsentType(rawValue: "ad_personalization")
  /// Storage for advertisements.
  public static let adStorage = ConsentType(rawValue: "ad_storage")
  /// The user's data for advertisements.
  public static let adUserData = ConsentType(rawValue: "ad_user_data")
  /// An id that ties the events of an installation together.
  public static let analyticsStorage = ConsentType(rawValue: "analytics_storage")

  /// The name by which the server knows the type: `analyticsStorage`; nil for unknown ones.
  var wireName: String? {
    switch self {
    case .adPersonalization: "adPersonalization"
    case .adStorage: "adStorage"
    case .adUserData: "adUserData"
    case .analyticsStorage: "analyticsStorage"
    default: nil
    }
  }
}
