// The responses of the account APIs, as far as the SDK reads them.

/// The answer of everything that signs in or changes a session.
struct SessionAnswer: Decodable, Sendable {
  var idToken: String?
  var refreshToken: String?
  var expiresIn: String?
  var isNewUser: Bool?

  // A second factor is wanted.
  var mfaPendingCredential: String?
  var mfaInfo: [FactorAnswer]?

  // Providers.
  var email: String?
  var providerId: String?
  var needConfirmation: Bool?
  var errorMessage: String?
  var rawUserInfo: String?
  var screenName: String?
  var oauthIdToken: String?
  var oauthAccessToken: String?
  var oauthTokenSecret: String?
  /// The server's word on the person, which links and signs in within an hour.
  var pendingToken: String?
}

/// The answer of a token refresh.
struct TokenAnswer: Decodable, Sendable {
  let access_token: String
  let refresh_token: String?
  let expires_in: String?
}

/// A second factor of an account.
struct FactorAnswer: Decodable, Sendable {
  struct Empty: Decodable, Sendable {}

  let mfaEnrollmentId: String
  var displayName: String?
  var enrolledAt: String?
  var phoneInfo: String?
  var totpInfo: Empty?
}

/// The answer of an account look-up.
struct LookupAnswer: Decodable, Sendable {
  struct Account: Decodable, Sendable {
    let localId: String
    var email: String?
    var emailVerified: Bool?
    var displayName: String?
    var photoUrl: String?
    var phoneNumber: String?
    var passwordHash: String?
    var createdAt: String?
    var lastLoginAt: String?
    var tenantId: String?
    var providerUserInfo: [Provider]?
    var mfaInfo: [FactorAnswer]?
  }

  struct Provider: Decodable, Sendable {
    let providerId: String
    var rawId: String?
    var federatedId: String?
    var email: String?
    var displayName: String?
    var photoUrl: String?
    var phoneNumber: String?
  }

  var users: [Account]?
}

/// The purpose of a code from an email.
struct CodeAnswer: Decodable, Sendable {
  var email: String?
  var newEmail: String?
  var requestType: String?
}

/// The answer of which ways an address signs in.
struct SignInMethodsAnswer: Decodable, Sendable {
  var signinMethods: [String]?
}

/// The answer of a begun enrolment.
struct EnrollmentAnswer: Decodable, Sendable {
  struct Secret: Decodable, Sendable {
    let sharedSecretKey: String
    var verificationCodeLength: Int?
    var hashingAlgorithm: String?
    var periodSec: Int?
    let sessionInfo: String
    var finalizeEnrollmentTime: String?
  }

  let totpSessionInfo: Secret
}

/// A response that says nothing but that it was done.
struct EmptyAnswer: Decodable, Sendable {}
