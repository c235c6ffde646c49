import Foundation

/// The server's facts about an account.
struct UserProfile: Codable, Sendable, Equatable {
  /// A way to sign in that the account is linked with.
  struct Provider: Codable, Sendable, Equatable {
    var providerID: String
    var uid: String
    var email: String?
    var displayName: String?
    var photoURL: String?
    var phoneNumber: String?
  }

  /// A second factor.
  struct Factor: Codable, Sendable, Equatable {
    var uid: String
    var displayName: String?
    var enrollmentDate: Date
    /// Nil for time-based codes.
    var phoneNumber: String?
  }

  var uid: String
  var email: String?
  var isEmailVerified: Bool
  var displayName: String?
  var photoURL: String?
  var phoneNumber: String?
  var isAnonymous: Bool
  var tenantID: String?
  var creationDate: Date?
  var lastSignInDate: Date?
  var providers: [Provider]
  var factors: [Factor]

  /// A look-up's account; one that was anonymous stays so until it has a way to sign in.
  init(_ account: LookupAnswer.Account, wasAnonymous: Bool) {
    uid = account.localId
    email = account.email
    isEmailVerified = account.emailVerified ?? false
    displayName = account.displayName
    photoURL = account.photoUrl
    phoneNumber = account.phoneNumber
    tenantID = account.tenantId
    creationDate = Self.date(milliseconds: account.createdAt)
    lastSignInDate = Self.date(milliseconds: account.lastLoginAt)
    providers = (account.providerUserInfo ?? []).map { provider in
      Provider(
        providerID: provider.providerId,
        uid: provider.rawId ?? provider.federatedId ?? "",
        email: provider.email,
        displayName: provider.displayName,
        photoURL: provider.photoUrl,
        phoneNumber: provider.phoneNumber
      )
    }
    factors = (account.mfaInfo ?? []).map(Factor.init)
    let hasPassword = account.email != nil && account.passwordHash != nil
    isAnonymous = wasAnonymous && providers.isEmpty && !hasPassword
  }

  private static func date(milliseconds text: String?) -> Date? {
    text.flatMap(Double.init).map { Date(timeIntervalSince1970: $0 / 1_000) }
  }
}

extension UserProfile.Factor {
  /// A factor as a response has it.
  init(_ answer: FactorAnswer) {
    self.init(
      uid: answer.mfaEnrollmentId,
      displayName: answer.displayName,
      enrollmentDate: answer.enrolledAt.flatMap(Self.date) ?? .distantPast,
      phoneNumber: answer.phoneInfo
    )
  }

  private static func date(_ text: String) -> Date? {
    (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
      ?? (try? Date.ISO8601FormatStyle().parse(text))
  }
}
