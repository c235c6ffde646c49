import FirebaseCore
import Foundation

/// The domain of errors of fetches.
public let RemoteConfigErrorDomain = "com.google.remoteconfig.ErrorDomain"
/// The domain of errors of updates in real time.
public let RemoteConfigUpdateErrorDomain = "com.google.remoteconfig.update.ErrorDomain"
/// The domain of errors of custom signals.
public let RemoteConfigCustomSignalsErrorDomain =
  "com.google.remoteconfig.customsignals.ErrorDomain"
/// The member of an error with the time until which fetches are refused, in seconds since 1970.
public let RemoteConfigThrottledEndTimeInSecondsKey = "error_throttled_end_time_seconds"

/// The reason why values could not be fetched.
///
/// Remote Config throws and delivers `NSError`s of this domain; casts to this type take them.
public struct RemoteConfigError: ErrorWithObject, Hashable, CustomNSError, LocalizedError {
  /// The codes.
  public enum Code: Int, Sendable {
    /// Something that has no code.
    case unknown = 8001
    /// The server refuses fetches for a while.
    case throttled = 8002
    /// The server or the network failed.
    case internalError = 8003
  }

  private let error: NSError

  /// An error of a code.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    error = NSError(domain: RemoteConfigErrorDomain, code: code.rawValue, userInfo: userInfo)
  }

  /// The error object of a code with a text; fetches are refused until `throttledUntil`.
  static func error(_ code: Code, _ text: String, throttledUntil: Date? = nil) -> NSError {
    var members: [String: Any] = [NSLocalizedDescriptionKey: text]
    if let throttledUntil {
      members[RemoteConfigThrottledEndTimeInSecondsKey] =
        NSNumber(value: throttledUntil.timeIntervalSince1970)
    }
    return RemoteConfigError(code, userInfo: members).object
  }

  /// The error of an object of the domain of fetches.
  package init?(object: NSError) {
    guard object.domain == RemoteConfigErrorDomain else { return nil }
    error = object
  }

  /// The error as an object.
  package var object: NSError { error }

  /// The domain of these errors.
  public static var errorDomain: String { RemoteConfigErrorDomain }
  /// The kind of error.
  public var code: Code { Code(rawValue: error.code) ?? .unknown }
  /// The number of the code.
  public var errorCode: Int { error.code }
  /// Further members.
  public var userInfo: [String: Any] { error.userInfo }
  /// Further members.
  public var errorUserInfo: [String: Any] { error.userInfo }
  /// A description of the error, for people.
  public var errorDescription: String? { error.userInfo[NSLocalizedDescriptionKey] as? String }
  /// The code `unknown`.
  public static var unknown: Code { .unknown }
  /// The code `throttled`.
  public static var throttled: Code { .throttled }
  /// The code `internalError`.
  public static var internalError: Code { .internalError }
}

/// The reason why updates in real time ended or failed.
///
/// Remote Config throws and delivers `NSError`s of this domain; casts to this type take them.
public struct RemoteConfigUpdateError: ErrorWithObject, Hashable, CustomNSError, LocalizedError {
  /// The codes.
  public enum Code: Int, Sendable {
    /// The stream could not be opened again and again.
    case streamError = 8001
    /// The new values could not be fetched.
    case notFetched = 8002
    /// The server's message is malformed.
    case messageInvalid = 8003
    /// The server does not offer updates now.
    case unavailable = 8004
  }

  private let error: NSError

  /// An error of a code.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    error = NSError(domain: RemoteConfigUpdateErrorDomain, code: code.rawValue, userInfo: userInfo)
  }

  /// The error of an object of the domain of updates.
  package init?(object: NSError) {
    guard object.domain == RemoteConfigUpdateErrorDomain else { return nil }
    error = object
  }

  /// The error object of a code with a text.
  static func error(_ code: Code, _ text: String) -> NSError {
    RemoteConfigUpdateError(code, userInfo: [NSLocalizedDescriptionKey: text]).object
  }

  /// The error as an object.
  package var object: NSError { error }

  /// The domain of these errors.
  public static var errorDomain: String { RemoteConfigUpdateErrorDomain }
  /// The kind of error.
  public var code: Code { Code(rawValue: error.code) ?? .streamError }
  /// The number of the code.
  public var errorCode: Int { error.code }
  /// Further members.
  public var userInfo: [String: Any] { error.userInfo }
  /// Further members.
  public var errorUserInfo: [String: Any] { error.userInfo }
  /// A description of the error, for people.
  public var errorDescription: String? { error.userInfo[NSLocalizedDescriptionKey] as? String }
  /// The code `streamError`.
  public static var streamError: Code { .streamError }
  /// The code `notFetched`.
  public static var notFetched: Code { .notFetched }
  /// The code `messageInvalid`.
  public static var messageInvalid: Code { .messageInvalid }
  /// The code `unavailable`.
  public static var unavailable: Code { .unavailable }
}

/// The reason why custom signals were refused.
///
/// Remote Config throws and delivers `NSError`s of this domain; casts to this type take them.
public struct RemoteConfigCustomSignalsError: ErrorWithObject, Hashable, CustomNSError,
  LocalizedError
{
  /// The codes.
  public enum Code: Int, Sendable {
    /// They could not be kept.
    case unknown = 8101
    /// A value is of a type that signals do not have.
    case invalidValueType = 8102
    /// There are too many, or one is too long.
    case limitExceeded = 8103
  }

  private let error: NSError

  /// An error of a code.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    error = NSError(
      domain: RemoteConfigCustomSignalsErrorDomain,
      code: code.rawValue,
      userInfo: userInfo
    )
  }

  /// The error of an object of the domain of custom signals.
  package init?(object: NSError) {
    guard object.domain == RemoteConfigCustomSignalsErrorDomain else { return nil }
    error = object
  }

  /// The error object of a code with a text.
  static func error(_ code: Code, _ text: String) -> NSError {
    RemoteConfigCustomSignalsError(code, userInfo: [NSLocalizedDescriptionKey: text]).object
  }

  /// The error as an object.
  package var object: NSError { error }

  /// The domain of these errors.
  public static var errorDomain: String { RemoteConfigCustomSignalsErrorDomain }
  /// The kind of error.
  public var code: Code { Code(rawValue: error.code) ?? .unknown }
  /// The number of the code.
  public var errorCode: Int { error.code }
  /// Further members.
  public var userInfo: [String: Any] { error.userInfo }
  /// Further members.
  public var errorUserInfo: [String: Any] { error.userInfo }
  /// A description of the error, for people.
  public var errorDescription: String? { error.userInfo[NSLocalizedDescriptionKey] as? String }
  /// The code `unknown`.
  public static var unknown: Code { .unknown }
  /// The code `invalidValueType`.
  public static var invalidValueType: Code { .invalidValueType }
  /// The code `limitExceeded`.
  public static var limitExceeded: Code { .limitExceeded }
}

/// Returns true if an error is one of fetches with a code, for `catch RemoteConfigError.throttled`.
public func ~= (code: RemoteConfigError.Code, error: any Error) -> Bool {
  let error = error as NSError
  return error.domain == RemoteConfigError.errorDomain && error.code == code.rawValue
}

/// Returns true if an error is one of updates with a code, for `catch
/// RemoteConfigUpdateError.streamError`.
public func ~= (code: RemoteConfigUpdateError.Code, error: any Error) -> Bool {
  let error = error as NSError
  return error.domain == RemoteConfigUpdateError.errorDomain && error.code == code.rawValue
}

/// Returns true if an error is one of signals with a code, as in `catch` with one.
public func ~= (code: RemoteConfigCustomSignalsError.Code, error: any Error) -> Bool {
  let error = error as NSError
  return error.domain == RemoteConfigCustomSignalsError.errorDomain && error.code == code.rawValue
}
