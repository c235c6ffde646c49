import Foundation

/// The kind of second factors by time-based codes.
public let TOTPMultiFactorID = "totp"
/// The kind of second factors by text message.
public let PhoneMultiFactorID = "phone"

/// A second factor.
///
/// Unchecked: it is not final, and neither it nor a subclass here has anything that changes.
public class MultiFactorInfo: NSObject, @unchecked Sendable {
  /// The factor's id in the account.
  public let uid: String
  /// The name that the person gave it.
  public let displayName: String?
  /// When it was added.
  public let enrollmentDate: Date
  /// The kind of factor.
  public let factorID: String

  init(_ factor: UserProfile.Factor, factorID: String) {
    uid = factor.uid
    displayName = factor.displayName
    enrollmentDate = factor.enrollmentDate
    self.factorID = factorID
  }

  static func make(_ factor: UserProfile.Factor) -> MultiFactorInfo {
    if let phoneNumber = factor.phoneNumber {
      return PhoneMultiFactorInfo(factor, phoneNumber: phoneNumber)
    }
    return TOTPMultiFactorInfo(factor, factorID: TOTPMultiFactorID)
  }
}

/// A second factor by time-based codes.
public final class TOTPMultiFactorInfo: MultiFactorInfo, @unchecked Sendable {}

/// A second factor by text message.
public final class PhoneMultiFactorInfo: MultiFactorInfo, @unchecked Sendable {
  /// The telephone number, hidden but for its end during a sign-in.
  public let phoneNumber: String

  init(_ factor: UserProfile.Factor, phoneNumber: String) {
    self.phoneNumber = phoneNumber
    super.init(factor, factorID: PhoneMultiFactorID)
  }
}
