import Foundation

/// The reason why an app cannot be configured.
public struct FirebaseAppError: Error, Sendable, Equatable {
  /// The kinds of reasons.
  public enum Code: Int, Sendable {
    /// The app's name is empty or has other characters than letters, digits, `-` and `_`.
    case invalidName = 1
    /// There is an app of this name already.
    case alreadyConfigured = 2
    /// No file and no variable has options.
    case optionsNotFound = 3
    /// An option is missing or malformed.
    case invalidOptions = 4
  }

  /// The kind of reason.
  public let code: Code
  /// A description of the error, for people.
  public let message: String

  static func invalidName(_ name: String) -> Self {
    Self(
      code: .invalidName,
      message: "App name can only contain alphanumeric, hyphen (-), and underscore (_) characters "
        + "and must not be empty; this one is \"\(name)\"."
    )
  }

  static func alreadyConfigured(_ name: String) -> Self {
    Self(
      code: .alreadyConfigured,
      message: name == FirebaseApp.defaultName
        ? "Default app has already been configured."
        : "App named \(name) has already been configured."
    )
  }

  static let optionsNotFound = Self(
    code: .optionsNotFound,
    message: "`FirebaseApp.configure()` found no options: neither GoogleService-Info.plist nor "
      + "firebase-config.json is beside the program, and BRASA_PROJECT is not set."
  )

  static func invalidOptions(_ message: String) -> Self {
    Self(code: .invalidOptions, message: message)
  }
}

extension FirebaseAppError: ErrorWithObject {
  /// The error as an object.
  package var object: NSError {
    NSError(domain: Self.errorDomain, code: errorCode, userInfo: errorUserInfo)
  }

  /// The error of an object of this domain.
  package init?(object: NSError) {
    guard object.domain == Self.errorDomain, let code = Code(rawValue: object.code) else {
      return nil
    }
    self.init(code: code, message: object.localizedDescription)
  }
}

extension FirebaseAppError: CustomNSError, LocalizedError {
  /// The domain of this error as an `NSError`.
  public static var errorDomain: String { "com.firebase.core" }
  /// The number of this error as an `NSError`.
  public var errorCode: Int { code.rawValue }
  /// A description of the error, for people.
  public var errorDescription: String? { message }
  /// The members of this error as an `NSError`.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
}
