import Foundation

/// The domain of errors of installations.
public let InstallationsErrorDomain = "com.firebase.installations"

/// An error of installations.
///
/// As an `NSError` it has ``InstallationsErrorDomain`` and the number of its code.
public struct InstallationsErrorCode: Error, Hashable, CustomNSError, LocalizedError {
  /// The codes.
  public enum Code: Int, Sendable {
    /// Something that has no code.
    case unknown = 0
    /// What is kept on the device cannot be read or written.
    case keychain = 1
    /// The server cannot be reached.
    case serverUnreachable = 2
    /// The options are not those of a project that the server has.
    case invalidConfiguration = 3
  }

  /// The kind of error.
  public let code: Code
  private let text: String

  /// An error of a code with a sentence for people.
  package init(_ code: Code, _ text: String) {
    self.code = code
    self.text = text
  }

  /// The domain of these errors.
  public static var errorDomain: String { InstallationsErrorDomain }
  /// The number of the code.
  public var errorCode: Int { code.rawValue }
  /// Further members.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: text] }
  /// What went wrong, for people.
  public var errorDescription: String? { text }

  /// The code `unknown`.
  public static var unknown: Code { .unknown }
  /// The code `keychain`.
  public static var keychain: Code { .keychain }
  /// The code `serverUnreachable`.
  public static var serverUnreachable: Code { .serverUnreachable }
  /// The code `invalidConfiguration`.
  public static var invalidConfiguration: Code { .invalidConfiguration }
}
