/// What a client of accounts is told when a request fails: the official code and its detail.
///
/// The cause is for the log and never leaves the server.
package struct AccountError: Error, Sendable {
  /// The official error codes; open, so that transports can add theirs.
  package struct Code: RawRepresentable, Sendable, Hashable {
    package let rawValue: String

    /// A code by its official name.
    package init(rawValue: String) { self.rawValue = rawValue }

    init(_ name: String) { rawValue = name }
  }

  package let code: Code
  /// What follows the code after ` : `.
  package let detail: String?
  package let cause: (any Error)?

  /// A refusal.
  package init(_ code: Code, _ detail: String? = nil, cause: (any Error)? = nil) {
    self.code = code
    self.detail = detail
    self.cause = cause
  }

  /// `CODE`, or `CODE : detail`, as clients split it.
  package var message: String {
    detail.map { "\(code.rawValue) : \($0)" } ?? code.rawValue
  }
}

extension AccountError: CustomStringConvertible {
  package var description: String { message }
}

extension AccountError.Code {
  package static let adminOnlyOperation = Self("ADMIN_ONLY_OPERATION")
  package static let claimsTooLarge = Self("CLAIMS_TOO_LARGE")
  package static let configurationExists = Self("DUPLICATE_CONFIG_ID")
  package static let configurationNotFound = Self("CONFIGURATION_NOT_FOUND")
  package static let credentialMismatch = Self("CREDENTIAL_MISMATCH")
  package static let credentialTooOld = Self("CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
  package static let duplicateEmail = Self("DUPLICATE_EMAIL")
  package static let duplicateLocalID = Self("DUPLICATE_LOCAL_ID")
  package static let duplicateRawID = Self("DUPLICATE_RAW_ID")
  package static let emailExists = Self("EMAIL_EXISTS")
  package static let emailNotFound = Self("EMAIL_NOT_FOUND")
  package static let expiredCode = Self("EXPIRED_OOB_CODE")
  package static let federatedUserIDAlreadyLinked = Self("FEDERATED_USER_ID_ALREADY_LINKED")
  package static let forbiddenClaim = Self("FORBIDDEN_CLAIM")
  package static let internalError = Self("INTERNAL_ERROR")
  package static let invalidClaims = Self("INVALID_CLAIMS")
  package static let invalidCode = Self("INVALID_CODE")
  package static let invalidConfiguration = Self("INVALID_CONFIG")
  package static let invalidContinueURI = Self("INVALID_CONTINUE_URI")
  package static let invalidCustomToken = Self("INVALID_CUSTOM_TOKEN")
  package static let invalidDuration = Self("INVALID_DURATION")
  package static let invalidEmail = Self("INVALID_EMAIL")
  package static let invalidHash = Self("INVALID_HASH_PARAMETER")
  package static let invalidIDToken = Self("INVALID_ID_TOKEN")
  package static let invalidLoginCredentials = Self("INVALID_LOGIN_CREDENTIALS")
  package static let invalidOobCode = Self("INVALID_OOB_CODE")
  package static let invalidPageToken = Self("INVALID_PAGE_SELECTION")
  package static let invalidPassword = Self("INVALID_PASSWORD")
  package static let invalidPendingCredential = Self("INVALID_MFA_PENDING_CREDENTIAL")
  package static let invalidPhoneNumber = Self("INVALID_PHONE_NUMBER")
  package static let invalidProviderID = Self("INVALID_PROVIDER_ID")
  package static let invalidRefreshToken = Self("INVALID_REFRESH_TOKEN")
  package static let invalidUserID = Self("INVALID_LOCAL_ID")
  package static let invalidSessionInfo = Self("INVALID_SESSION_INFO")
  package static let missingEmail = Self("MISSING_EMAIL")
  package static let missingIdentifier = Self("MISSING_IDENTIFIER")
  package static let missingLocalID = Self("MISSING_LOCAL_ID")
  package static let missingUserAccount = Self("MISSING_USER_ACCOUNT")
  package static let operationNotAllowed = Self("OPERATION_NOT_ALLOWED")
  package static let passwordDoesNotMeetRequirements = Self("PASSWORD_DOES_NOT_MEET_REQUIREMENTS")
  package static let passwordLoginDisabled = Self("PASSWORD_LOGIN_DISABLED")
  package static let phoneNumberExists = Self("PHONE_NUMBER_EXISTS")
  package static let projectMismatch = Self("PROJECT_NUMBER_MISMATCH")
  package static let secondFactorLimitExceeded = Self("SECOND_FACTOR_LIMIT_EXCEEDED")
  package static let secondFactorNotFound = Self("MFA_ENROLLMENT_NOT_FOUND")
  package static let sessionExpired = Self("SESSION_EXPIRED")
  package static let tenantsUnsupported = Self("UNSUPPORTED_TENANT_OPERATION")
  package static let tokenExpired = Self("TOKEN_EXPIRED")
  package static let tooManyAttempts = Self("TOO_MANY_ATTEMPTS_TRY_LATER")
  package static let unauthorizedDomain = Self("UNAUTHORIZED_DOMAIN")
  package static let unsupportedFirstFactor = Self("UNSUPPORTED_FIRST_FACTOR")
  package static let unverifiedEmail = Self("UNVERIFIED_EMAIL")
  package static let userDisabled = Self("USER_DISABLED")
  package static let userNotFound = Self("USER_NOT_FOUND")
  package static let weakPassword = Self("WEAK_PASSWORD")
}
