import Foundation

/// The domain and the members of errors.
public enum AuthErrors {
  /// The domain of all errors of accounts.
  public static let domain = "FIRAuthErrorDomain"
  /// The domain of errors that lie under `internalError`.
  package static let internalDomain = "FIRAuthInternalErrorDomain"
  /// The member with the error's name, such as `ERROR_INVALID_EMAIL`.
  public static let userInfoNameKey = "FIRAuthErrorUserInfoNameKey"
  /// The member with the email address of the account that the error is about.
  public static let userInfoEmailKey = "FIRAuthErrorUserInfoEmailKey"
  /// The member with a credential that can sign in.
  public static let userInfoUpdatedCredentialKey = "FIRAuthErrorUserInfoUpdatedCredentialKey"
  /// The member with the resolver of a sign-in that needs a second factor.
  public static let userInfoMultiFactorResolverKey = "FIRAuthErrorUserInfoMultiFactorResolverKey"
  /// The member with the server's response, in errors under `internalError`.
  package static let deserializedResponseKey = "FIRAuthErrorUserInfoDeserializedResponseKey"
}

extension AuthErrorCode {
  /// The error that is thrown, with a sentence for people and further members.
  package func error(_ detail: String? = nil, _ userInfo: [String: Any] = [:]) -> NSError {
    var members = userInfo
    members[NSLocalizedDescriptionKey] = detail ?? message
    members[AuthErrors.userInfoNameKey] = name
    return NSError(domain: AuthErrors.domain, code: rawValue, userInfo: members)
  }
}

extension AuthErrorCode {
  /// The error as an object.
  package var object: NSError { error() }

  /// The error of an object of the domain of accounts.
  package init?(object: NSError) {
    guard let code = object.authCode else { return nil }
    self = code
  }
}

extension NSError {
  /// The code of an error of accounts; nil for every other error.
  var authCode: AuthErrorCode? {
    domain == AuthErrors.domain ? AuthErrorCode(rawValue: code) : nil
  }
}
