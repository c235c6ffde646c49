import Foundation

/// The kind of second factors by time-based codes.
public let TOTPMultiFactorID = "totp"
/// The kind of second factors by text message.
public let PhoneMultiFactorID = "phone"

/// A second factor.
///
/// Unchecked: it is not final, and neither it nor a subclass here has anything that changes.
public class MultiFactorInfo: NSObject, NSSecureCoding, @unchecked Sendable {
  /// The factor's id in the account.
  public let uid: String
  /// The name that the person gave it.
  public let displayName: String?
  /// The time at which it was added.
  public let enrollmentDate: Date
  /// The kind of factor.
  public let factorID: String

  private let factor: UserProfile.Factor

  /// A factor, which is by text message where it has a telephone number.
  required init(_ factor: UserProfile.Factor) {
    self.factor = factor
    uid = factor.uid
    displayName = factor.displayName
    enrollmentDate = factor.enrollmentDate
    factorID = factor.phoneNumber == nil ? TOTPMultiFactorID : PhoneMultiFactorID
  }

  // MARK: Archives

  /// True: an archive's content is checked by its type.
  public static var supportsSecureCoding: Bool { true }

  /// Reads it from an archive.
  public required convenience init?(coder: NSCoder) {
    guard let factor = JSONArchive.read(UserProfile.Factor.self, from: coder) else { return nil }
    self.init(factor)
  }

  /// Writes it to an archive.
  public func encode(with coder: NSCoder) { JSONArchive.write(factor, to: coder) }

  // MARK: Kinds

  static func make(_ factor: UserProfile.Factor) -> MultiFactorInfo {
    factor.phoneNumber == nil ? TOTPMultiFactorInfo(factor) : PhoneMultiFactorInfo(factor)
  }
}

/// A second factor by time-based codes.
public final class TOTPMultiFactorInfo: MultiFactorInfo, @unchecked Sendable {}

/// A second factor by text message.
public final class PhoneMultiFactorInfo: MultiFactorInfo, @unchecked Sendable {
  /// The telephone number, hidden but for its end during a sign-in.
  public let phoneNumber: String

  required init(_ factor: UserProfile.Factor) {
    phoneNumber = factor.phoneNumber ?? ""
    super.init(factor)
  }
}
