import FirebaseCore
import Foundation

/// The reason why a request of accounts failed, by the numbers of Firebase's SDKs.
///
/// Thrown errors are `NSError`s of the domain ``AuthErrors/domain`` with such a number as `code`; casts to this type take
/// them, as in `catch AuthErrorCode.wrongPassword`.
public enum AuthErrorCode: Int, ErrorWithObject, Sendable {
  /// The custom token is malformed or its signature is wrong.
  case invalidCustomToken = 17000
  /// The custom token belongs to another project.
  case customTokenMismatch = 17002
  /// The credential is wrong, malformed or expired.
  case invalidCredential = 17004
  /// The account was disabled by an administrator.
  case userDisabled = 17005
  /// This kind of sign-in is not enabled in the project.
  case operationNotAllowed = 17006
  /// Another account uses the email address.
  case emailAlreadyInUse = 17007
  /// The email address is malformed.
  case invalidEmail = 17008
  /// The password is wrong, or the account has none.
  case wrongPassword = 17009
  /// There were too many requests; try again later.
  case tooManyRequests = 17010
  /// There is no such account; it may have been deleted.
  case userNotFound = 17011
  /// An account with the same email address signs in another way.
  case accountExistsWithDifferentCredential = 17012
  /// The person must sign in again before this is done.
  case requiresRecentLogin = 17014
  /// The account is linked with this provider already.
  case providerAlreadyLinked = 17015
  /// The account is not linked with this provider.
  case noSuchProvider = 17016
  /// The session is not valid; sign in again.
  case invalidUserToken = 17017
  /// The server could not be reached.
  case networkError = 17020
  /// The session has ended; sign in again.
  case userTokenExpired = 17021
  /// The API key is not valid.
  case invalidAPIKey = 17023
  /// The credential belongs to another account.
  case userMismatch = 17024
  /// Another account is linked with this credential.
  case credentialAlreadyInUse = 17025
  /// The password is too weak.
  case weakPassword = 17026
  /// The app may not use this project.
  case appNotAuthorized = 17028
  /// The code has expired.
  case expiredActionCode = 17029
  /// The code is malformed or was used already.
  case invalidActionCode = 17030
  /// Invalid message payload.
  case invalidMessagePayload = 17031
  /// Invalid sender.
  case invalidSender = 17032
  /// Invalid recipient email.
  case invalidRecipientEmail = 17033
  /// An email address must be given.
  case missingEmail = 17034
  /// Missing ios bundle id.
  case missingIosBundleID = 17036
  /// Missing android package name.
  case missingAndroidPackageName = 17037
  /// The project does not allow the domain of the continue URL.
  case unauthorizedDomain = 17038
  /// The continue URL is malformed.
  case invalidContinueURI = 17039
  /// A continue URL must be given.
  case missingContinueURI = 17040
  /// Missing phone number.
  case missingPhoneNumber = 17041
  /// Invalid phone number.
  case invalidPhoneNumber = 17042
  /// A code must be given.
  case missingVerificationCode = 17043
  /// The code is wrong.
  case invalidVerificationCode = 17044
  /// Missing verification id.
  case missingVerificationID = 17045
  /// Invalid verification id.
  case invalidVerificationID = 17046
  /// Missing app credential.
  case missingAppCredential = 17047
  /// Invalid app credential.
  case invalidAppCredential = 17048
  /// The code has expired; ask for another one.
  case sessionExpired = 17051
  /// The quota of the project is exceeded.
  case quotaExceeded = 17052
  /// Missing app token.
  case missingAppToken = 17053
  /// Notification not forwarded.
  case notificationNotForwarded = 17054
  /// App not verified.
  case appNotVerified = 17055
  /// Captcha check failed.
  case captchaCheckFailed = 17056
  /// Web context already presented.
  case webContextAlreadyPresented = 17057
  /// Web context cancelled.
  case webContextCancelled = 17058
  /// App verification user interaction failure.
  case appVerificationUserInteractionFailure = 17059
  /// Invalid client id.
  case invalidClientID = 17060
  /// Web network request failed.
  case webNetworkRequestFailed = 17061
  /// Web internal error.
  case webInternalError = 17062
  /// Web sign in user interaction failure.
  case webSignInUserInteractionFailure = 17063
  /// Local player not authenticated.
  case localPlayerNotAuthenticated = 17066
  /// A user must be given.
  case nullUser = 17067
  /// The provider id is not valid.
  case invalidProviderID = 17071
  /// The tenant is another one than the account's.
  case tenantIDMismatch = 17072
  /// Tenants do not support this.
  case unsupportedTenantOperation = 17073
  /// Rejected credential.
  case rejectedCredential = 17075
  /// Game kit not linked.
  case gameKitNotLinked = 17076
  /// A second factor is needed to finish the sign-in.
  case secondFactorRequired = 17078
  /// The session of the second factor is missing.
  case missingMultiFactorSession = 17081
  /// The second factor must be named.
  case missingMultiFactorInfo = 17082
  /// The session of the second factor is not valid or has expired.
  case invalidMultiFactorSession = 17083
  /// The account has no such second factor.
  case multiFactorInfoNotFound = 17084
  /// Only administrators may do this.
  case adminRestrictedOperation = 17085
  /// The email address must be verified first.
  case unverifiedEmail = 17086
  /// The account has this second factor already.
  case secondFactorAlreadyEnrolled = 17087
  /// The account has as many second factors as are allowed.
  case maximumSecondFactorCountExceeded = 17088
  /// Accounts that sign in this way have no second factors.
  case unsupportedFirstFactor = 17089
  /// The new email address must be verified first.
  case emailChangeNeedsVerification = 17090
  /// Missing client identifier.
  case missingClientIdentifier = 17093
  /// The nonce is missing or does not match the one in the ID token.
  case missingOrInvalidNonce = 17094
  /// Blocking cloud function error.
  case blockingCloudFunctionError = 17105
  /// Recaptcha not enabled.
  case recaptchaNotEnabled = 17200
  /// Missing recaptcha token.
  case missingRecaptchaToken = 17201
  /// Invalid recaptcha token.
  case invalidRecaptchaToken = 17202
  /// Invalid recaptcha action.
  case invalidRecaptchaAction = 17203
  /// Missing client type.
  case missingClientType = 17204
  /// Missing recaptcha version.
  case missingRecaptchaVersion = 17205
  /// Invalid recaptcha version.
  case invalidRecaptchaVersion = 17206
  /// Invalid req type.
  case invalidReqType = 17207
  /// Recaptcha sdk not linked.
  case recaptchaSDKNotLinked = 17208
  /// Recaptcha site key missing.
  case recaptchaSiteKeyMissing = 17209
  /// Recaptcha action creation failed.
  case recaptchaActionCreationFailed = 17210
  /// The password does not meet the requirements of the project.
  case passwordDoesNotMeetRequirements = 17211
  /// Invalid hosting link domain.
  case invalidHostingLinkDomain = 17214
  /// The session could not be read or saved.
  case keychainError = 17995
  /// An internal error occurred; the underlying error has the details.
  case internalError = 17999
  /// The token is malformed.
  case malformedJWT = 18000

  /// Itself, as code for older versions expects.
  public var code: AuthErrorCode { self }

  /// The type itself, as code for older versions names it.
  public typealias Code = AuthErrorCode

  /// The domain of these errors.
  public static var errorDomain: String { AuthErrors.domain }
}
