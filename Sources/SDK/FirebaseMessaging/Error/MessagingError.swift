import FirebaseCore
import Foundation

/// The domain of messaging's errors.
public let MessagingErrorDomain = "com.google.fcm"

/// A failure of a registration, a topic or a token.
///
/// Messaging throws and delivers `NSError`s of ``MessagingErrorDomain``; casts to this type take them.
public struct MessagingError: ErrorWithObject, CustomNSError, LocalizedError, Sendable, Hashable {
  /// The kinds of errors.
  public enum Code: Int, Sendable {
    /// None of the others.
    case unknown = 0
    /// The server does not accept the app's identity.
    case authentication = 1
    /// The app may not do that.
    case noAccess = 2
    /// The server did not answer in time.
    case timeout = 3
    /// The server cannot be reached.
    case network = 4
    /// The same is being done.
    case operationInProgress = 5
    /// The server does not take what was asked.
    case invalidRequest = 7
    /// A topic's name has characters that topics do not have.
    case invalidTopicName = 8
  }

  private let error: NSError

  /// An error of a code.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    error = NSError(domain: MessagingErrorDomain, code: code.rawValue, userInfo: userInfo)
  }

  /// The error of an object of messaging's domain.
  package init?(object: NSError) {
    guard object.domain == MessagingErrorDomain else { return nil }
    error = object
  }

  /// The error object of a code with a text.
  static func error(_ code: Code, _ message: String) -> NSError {
    MessagingError(code, userInfo: [NSLocalizedDescriptionKey: message]).object
  }

  /// The error as an object.
  package var object: NSError { error }

  /// The domain of this error as an `NSError`.
  public static var errorDomain: String { MessagingErrorDomain }
  /// The kind.
  public var code: Code { Code(rawValue: error.code) ?? .unknown }
  /// The number of this error as an `NSError`.
  public var errorCode: Int { error.code }
  /// The error in words.
  public var message: String { errorDescription ?? "" }
  /// A description of the error, for people.
  public var errorDescription: String? { error.userInfo[NSLocalizedDescriptionKey] as? String }
  /// Further members.
  public var userInfo: [String: Any] { error.userInfo }
  /// The members of this error as an `NSError`.
  public var errorUserInfo: [String: Any] { error.userInfo }

  /// None of the others.
  public static var unknown: Code { .unknown }
  /// The server does not accept the app's identity.
  public static var authentication: Code { .authentication }
  /// The app may not do that.
  public static var noAccess: Code { .noAccess }
  /// The server did not answer in time.
  public static var timeout: Code { .timeout }
  /// The server cannot be reached.
  public static var network: Code { .network }
  /// The same is being done.
  public static var operationInProgress: Code { .operationInProgress }
  /// The server does not take what was asked.
  public static var invalidRequest: Code { .invalidRequest }
  /// A topic's name has characters that topics do not have.
  public static var invalidTopicName: Code { .invalidTopicName }
}

/// Returns true if an error is messaging's with a code, for `catch
/// MessagingError.invalidTopicName`.
public func ~= (code: MessagingError.Code, error: any Error) -> Bool {
  let error = error as NSError
  return error.domain == MessagingErrorDomain && error.code == code.rawValue
}
