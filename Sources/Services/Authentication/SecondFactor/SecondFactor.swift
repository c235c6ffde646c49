import BaseText

/// A second factor that a user enrolled.
package struct SecondFactor: Sendable, Hashable {
  /// The data that proves the factor.
  package enum Proof: Sendable, Hashable {
    /// The shared secret of time-based codes, and the last step whose code was used: each is good once.
    ///
    /// The secret leaves the server at enrolment only.
    case totp(secret: [UInt8], lastStep: Int64)
    /// A number that messages go to.
    case phone(PhoneNumber)
  }

  /// `mfaEnrollmentId`.
  package let id: Text
  /// The name that the user gave the factor; nil without one.
  package var displayName: String?
  /// Milliseconds since 1970.
  package let enrolledAt: Int64
  /// The secret or number that codes are checked by.
  package var proof: Proof

  /// `totp` or `phone`, as tokens name it.
  package var kind: Text {
    switch proof {
    case .totp: "totp"
    case .phone: "phone"
    }
  }

  /// A factor.
  package init(id: Text, displayName: String? = nil, enrolledAt: Int64, proof: Proof) {
    self.id = id
    self.displayName = displayName
    self.enrolledAt = enrolledAt
    self.proof = proof
  }
}
