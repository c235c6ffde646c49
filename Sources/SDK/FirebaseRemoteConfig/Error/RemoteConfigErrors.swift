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

/// Why values could not be fetched.
public struct RemoteConfigError: Error, CustomNSError, LocalizedError {
  /// The codes.
  public enum Code: Int, Sendable {
    /// Something that has no code.
    case unknown = 8001
    /// The server refuses fetches for a while.
    case throttled = 8002
    /// The server or the network failed.
    case internalError = 8003
  }

  /// The kind of error.
  public let code: Code
  private let text: String
  /// Until when fetches are refused.
  let throttledUntil: Date?

  init(_ code: Code, _ text: String, throttledUntil: Date? = nil) {
    self.code = code
    self.text = text
    self.throttledUntil = throttledUntil
  }

  /// The domain of these errors.
  public static var errorDomain: String { RemoteConfigErrorDomain }
  /// The number of the code.
  public var errorCode: Int { code.rawValue }
  /// Further members.
  public var errorUserInfo: [String: Any] {
    var members: [String: Any] = [NSLocalizedDescriptionKey: text]
    if let throttledUntil {
      members[RemoteConfigThrottledEndTimeInSecondsKey] =
        NSNumber(value: throttledUntil.timeIntervalSince1970)
    }
    return members
  }
  /// What went wrong, for people.
  public var errorDescription: String? { text }

  /// The code `unknown`.
  public static var unknown: Code { .unknown }
  /// The code `throttled`.
  public static var throttled: Code { .throttled }
  /// The code `internalError`.
  public static var internalError: Code { .internalError }
}

/// Why updates in real time ended or failed.
public struct RemoteConfigUpdateError: Error, CustomNSError, LocalizedError {
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

  /// The kind of error.
  public let code: Code
  private let text: String

  init(_ code: Code, _ text: String) {
    self.code = code
    self.text = text
  }

  /// The domain of these errors.
  public static var errorDomain: String { RemoteConfigUpdateErrorDomain }
  /// The number of the code.
  public var errorCode: Int { code.rawValue }
  /// Further members.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: text] }
  /// What went wrong, for people.
  public var errorDescription: String? { text }
}

/// Why custom signals were refused.
public struct RemoteConfigCustomSignalsError: Error, CustomNSError, LocalizedError {
  /// The codes.
  public enum Code: Int, Sendable {
    /// They could not be kept.
    case unknown = 8101
    /// A value is of a type that signals do not have.
    case invalidValueType = 8102
    /// There are too many, or one is too long.
    case limitExceeded = 8103
  }

  /// The kind of error.
  public let code: Code
  private let text: String

  init(_ code: Code, _ text: String) {
    self.code = code
    self.text = text
  }

  /// The domain of these errors.
  public static var errorDomain: String { RemoteConfigCustomSignalsErrorDomain }
  /// The number of the code.
  public var errorCode: Int { code.rawValue }
  /// Further members.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: text] }
  /// What went wrong, for people.
  public var errorDescription: String? { text }
}
