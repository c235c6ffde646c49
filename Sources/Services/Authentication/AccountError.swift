/// The error that a client of accounts receives for a failed request: the official code and its
/// detail.
///
/// The cause is for the log and never leaves the server.
package struct AccountError: Error, Sendable {
  /// The official error codes; open, so that transports can add theirs.
  package struct Code: RawRepresentable, Sendable, Hashable {
    /// The official name of the code, such as `EMAIL_EXISTS`.
    package let rawValue: String

    /// A code by its official name.
    package init(rawValue: String) { self.rawValue = rawValue }

    init(_ name: String) { rawValue = name }
  }

  /// The official code, which clients compare.
  package let code: Code
  /// The text that follows the code after ` : `.
  package let detail: String?
  /// The error behind this one, for the log; nil without one.
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
  /// The same text as `message`; the cause is left out.
  package var description: String { message }
}

extension AccountError.Code {
  /// The project does not let clients make, or delete, such accounts.
  package static let adminOnlyOperation = Self("ADMIN_ONLY_OPERATION")
  /// The custom claims have more bytes than `CustomClaims` allows.
  package static let claimsTooLarge = Self("CLAIMS_TOO_LARGE")
  /// The project already has a provider of that id, or an app of that bundle id.
  package static let configurationExists = Self("DUPLICATE_CONFIG_ID")
  /// The project has no provider of that id.
  package static let configurationNotFound = Self("CONFIGURATION_NOT_FOUND")
  /// The custom token was signed for another project.
  package static let credentialMismatch = Self("CREDENTIAL_MISMATCH")
  /// The change needs a sign-in of the last five minutes, or one with the second factor.
  package static let credentialTooOld = Self("CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
  /// Two accounts of one import have the same email address.
  package static let duplicateEmail = Self("DUPLICATE_EMAIL")
  /// The uid is taken, or appears twice in one import.
  package static let duplicateLocalID = Self("DUPLICATE_LOCAL_ID")
  /// An identity of a provider appears twice in one import, or the account already has the passkey.
  package static let duplicateRawID = Self("DUPLICATE_RAW_ID")
  /// Another account has the email address.
  package static let emailExists = Self("EMAIL_EXISTS")
  /// No account has the email address; clients get the code only where the project does not hide its accounts.
  package static let emailNotFound = Self("EMAIL_NOT_FOUND")
  /// The one-time code of an email has expired.
  package static let expiredCode = Self("EXPIRED_OOB_CODE")
  /// Another account is linked to that identity of a provider.
  package static let federatedUserIDAlreadyLinked = Self("FEDERATED_USER_ID_ALREADY_LINKED")
  /// The custom claims use a name that is reserved for tokens; the detail is the name.
  package static let forbiddenClaim = Self("FORBIDDEN_CLAIM")
  /// The server failed; the client gets no reason.
  package static let internalError = Self("INTERNAL_ERROR")
  /// The custom claims are not a JSON object.
  package static let invalidClaims = Self("INVALID_CLAIMS")
  /// The code of the second factor, or the recovery code, is wrong or was used before.
  package static let invalidCode = Self("INVALID_CODE")
  /// The value of a setting is malformed or out of its bounds; the detail says which.
  package static let invalidConfiguration = Self("INVALID_CONFIG")
  /// The address that a link or a provider leads back to is not a web address.
  package static let invalidContinueURI = Self("INVALID_CONTINUE_URI")
  /// The custom token is malformed, expired, wrongly signed or without a valid uid.
  package static let invalidCustomToken = Self("INVALID_CUSTOM_TOKEN")
  /// A session cookie's duration is less than 5 minutes or longer than the server allows.
  package static let invalidDuration = Self("INVALID_DURATION")
  /// The email address is malformed.
  package static let invalidEmail = Self("INVALID_EMAIL")
  /// An imported password hash, or its algorithm's parameters, are malformed or out of bounds.
  package static let invalidHash = Self("INVALID_HASH_PARAMETER")
  /// The ID token is malformed, wrongly signed or for another project.
  package static let invalidIDToken = Self("INVALID_ID_TOKEN")
  /// The email address or the password is wrong; the code does not tell which.
  package static let invalidLoginCredentials = Self("INVALID_LOGIN_CREDENTIALS")
  /// The one-time code of an email is unknown, was used, or is for another purpose.
  package static let invalidOobCode = Self("INVALID_OOB_CODE")
  /// A list's limit, offset or page token is out of its bounds.
  package static let invalidPageToken = Self("INVALID_PAGE_SELECTION")
  /// The password is wrong; clients get the code only where the project does not hide its accounts.
  package static let invalidPassword = Self("INVALID_PASSWORD")
  /// The credential of a sign-in that awaits its second factor is unknown, used or expired.
  package static let invalidPendingCredential = Self("INVALID_MFA_PENDING_CREDENTIAL")
  /// The phone number is not in the form of E.164.
  package static let invalidPhoneNumber = Self("INVALID_PHONE_NUMBER")
  /// The provider's id is not one of its kind, or is longer than 128 bytes.
  package static let invalidProviderID = Self("INVALID_PROVIDER_ID")
  /// The refresh token is malformed.
  package static let invalidRefreshToken = Self("INVALID_REFRESH_TOKEN")
  /// The uid is empty or longer than 128 UTF-16 units.
  package static let invalidUserID = Self("INVALID_LOCAL_ID")
  /// The enrolment of a second factor is unknown or belongs to another session.
  package static let invalidSessionInfo = Self("INVALID_SESSION_INFO")
  /// The account has no email address that a code could go to.
  package static let missingEmail = Self("MISSING_EMAIL")
  /// The custom token has no uid.
  package static let missingIdentifier = Self("MISSING_IDENTIFIER")
  /// The uid is missing.
  package static let missingLocalID = Self("MISSING_LOCAL_ID")
  /// The import contains no account.
  package static let missingUserAccount = Self("MISSING_USER_ACCOUNT")
  /// The project, or the state of the account, does not allow this operation; the detail may say why.
  package static let operationNotAllowed = Self("OPERATION_NOT_ALLOWED")
  /// The password lacks what the project's policy requires; the detail lists it.
  package static let passwordDoesNotMeetRequirements = Self("PASSWORD_DOES_NOT_MEET_REQUIREMENTS")
  /// The project does not allow sign-in with a password.
  package static let passwordLoginDisabled = Self("PASSWORD_LOGIN_DISABLED")
  /// Another account has the phone number.
  package static let phoneNumberExists = Self("PHONE_NUMBER_EXISTS")
  /// The refresh token belongs to another project.
  package static let projectMismatch = Self("PROJECT_NUMBER_MISMATCH")
  /// The account already has as many second factors, or passkeys, as it may have.
  package static let secondFactorLimitExceeded = Self("SECOND_FACTOR_LIMIT_EXCEEDED")
  /// The account has no such second factor or passkey.
  package static let secondFactorNotFound = Self("MFA_ENROLLMENT_NOT_FOUND")
  /// The enrolment of a second factor was not finished in time.
  package static let sessionExpired = Self("SESSION_EXPIRED")
  /// The request names a tenant, which the operation does not support.
  package static let tenantsUnsupported = Self("UNSUPPORTED_TENANT_OPERATION")
  /// The token has expired or was revoked; the user must sign in again.
  package static let tokenExpired = Self("TOKEN_EXPIRED")
  /// One of `AttemptLimits`' rates is used up; the client may try again later.
  package static let tooManyAttempts = Self("TOO_MANY_ATTEMPTS_TRY_LATER")
  /// The project does not list the domain that a link or a provider leads to.
  package static let unauthorizedDomain = Self("UNAUTHORIZED_DOMAIN")
  /// An account that signs in this way can't have second factors.
  package static let unsupportedFirstFactor = Self("UNSUPPORTED_FIRST_FACTOR")
  /// Second factors need a verified email address.
  package static let unverifiedEmail = Self("UNVERIFIED_EMAIL")
  /// An administrator disabled the account.
  package static let userDisabled = Self("USER_DISABLED")
  /// No account has the uid or address, or it was deleted.
  package static let userNotFound = Self("USER_NOT_FOUND")
  /// The password is shorter than the policy's minimum, or one of the most common ones.
  package static let weakPassword = Self("WEAK_PASSWORD")
}
