/// A user's decision to consent or not.
public struct ConsentStatus: RawRepresentable, Hashable, Sendable {
  /// The name of the status.
  public let rawValue: String

  /// A status of that name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The user does not.
  public static let denied = ConsentStatus(rawValue: "denied")
  /// The user does.
  public static let granted = ConsentStatus(rawValue: "granted")
}
