import FirebaseCore
import Foundation

/// The domain of errors of installations.
public let InstallationsErrorDomain = "com.firebase.installations"

/// An error of installations.
///
/// Installations throws and delivers `NSError`s of ``InstallationsErrorDomain`` with the number of a code; casts to this
/// type take them.
public struct InstallationsErrorCode: ErrorWithObject, Hashable, CustomNSError, LocalizedError {
  /// The codes.
  public enum Code: Int, Sendable {
    /// Something that has no code.
    case unknown = 0
    /// The state kept on the device cannot be read or written.
    case keychain = 1
    /// The server cannot be reached.
    case serverUnreachable = 2
    /// The options are not those of a project that the server has.
    case invalidConfiguration = 3
  }

  private let error: NSError

  /// An error of a code.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    error = NSError(domain: InstallationsErrorDomain, code: code.rawValue, userInfo: userInfo)
  }

  /// The error of an object of the domain of installations.
  package init?(object: NSError) {
    guard object.domain == InstallationsErrorDomain else { return nil }
    error = object
  }

  /// The error object of a code with a sentence for people.
  package static func error(_ code: Code, _ text: String) -> NSError {
    InstallationsErrorCode(code, userInfo: [NSLocalizedDescriptionKey: text]).object
  }

  /// The error as an object.
  package var object: NSError { error }

  /// The domain of these errors.
  public static var errorDomain: String { InstallationsErrorDomain }
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
  /// The code `keychain`.
  public static var keychain: Code { .keychain }
  /// The code `serverUnreachable`.
  public static var serverUnreachable: Code { .serverUnreachable }
  /// The code `invalidConfiguration`.
  public static var invalidConfiguration: Code { .invalidConfiguration }
}

/// Returns true if an error is installations' with a code, for `catch
/// InstallationsErrorCode.serverUnreachable`.
public func ~= (code: InstallationsErrorCode.Code, error: any Error) -> Bool {
  let error = error as NSError
  return error.domain == InstallationsErrorDomain && error.code == code.rawValue
}
