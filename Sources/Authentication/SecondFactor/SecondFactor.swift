import FirestoreModel

/// A second factor that a user enrolled.
package struct SecondFactor: Sendable, Hashable {
  /// What proves the factor.
  package enum Proof: Sendable, Hashable {
    /// The shared secret of a time-based code; never leaves the server after enrolment.
    case totp(secret: [UInt8])
    /// A number that messages go to.
    case phone(PhoneNumber)
  }

  /// `mfaEnrollmentId`.
  package let id: Text
  package var displayName: String?
  /// Milliseconds since 1970.
  package let enrolledAt: Int64
  package let proof: Proof

  /// A factor.
  package init(id: Text, displayName: String? = nil, enrolledAt: Int64, proof: Proof) {
    self.id = id
    self.displayName = displayName
    self.enrolledAt = enrolledAt
    self.proof = proof
  }
}
