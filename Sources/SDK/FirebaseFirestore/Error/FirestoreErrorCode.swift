import FirebaseCore
import Foundation

/// The domain of Firestore's errors.
public let FirestoreErrorDomain = "FIRFirestoreErrorDomain"

/// An error of Firestore.
///
/// Firestore throws and delivers `NSError`s of ``FirestoreErrorDomain`` with the number of a code.
/// Every form of Firebase's guides distinguishes them: `catch let error as NSError`, `catch
/// FirestoreErrorCode.permissionDenied`, `(error as? FirestoreErrorCode)?.code`.
public struct FirestoreErrorCode: ErrorWithObject, Hashable, CustomNSError, LocalizedError {
  /// The codes.
  public enum Code: Int, Sendable {
    /// No error.
    case OK = 0
    /// The call was cancelled.
    case cancelled = 1
    /// Something that has no code.
    case unknown = 2
    /// An argument is wrong in any state.
    case invalidArgument = 3
    /// The deadline passed; the call may have had its effect.
    case deadlineExceeded = 4
    /// A document that must be there is not.
    case notFound = 5
    /// A document that must not be there is.
    case alreadyExists = 6
    /// The rules refuse it.
    case permissionDenied = 7
    /// A quota is used up.
    case resourceExhausted = 8
    /// The state does not allow it.
    case failedPrecondition = 9
    /// Another transaction went first.
    case aborted = 10
    /// A value is beyond the valid range.
    case outOfRange = 11
    /// The operation is not supported.
    case unimplemented = 12
    /// Something is broken.
    case `internal` = 13
    /// The server cannot be reached now.
    case unavailable = 14
    /// Data is lost or damaged.
    case dataLoss = 15
    /// The credentials are missing or not valid.
    case unauthenticated = 16
  }

  private let error: NSError

  /// An error of a code.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    error = NSError(domain: FirestoreErrorDomain, code: code.rawValue, userInfo: userInfo)
  }

  /// The error of an object of Firestore's domain.
  package init?(object: NSError) {
    guard object.domain == FirestoreErrorDomain else { return nil }
    error = object
  }

  /// The error as an object.
  package var object: NSError { error }

  /// The domain of these errors.
  public static var errorDomain: String { FirestoreErrorDomain }
  /// The kind of error.
  public var code: Code { Code(rawValue: error.code) ?? .unknown }
  /// The number of the code.
  public var errorCode: Int { error.code }
  /// Further members.
  public var errorUserInfo: [String: Any] { error.userInfo }
  /// Further members.
  public var userInfo: [String: Any] { error.userInfo }
  /// The server's text.
  public var errorDescription: String? { error.userInfo[NSLocalizedDescriptionKey] as? String }
}

extension FirestoreErrorCode {
  /// The code `OK`.
  public static var OK: Code { .OK }
  /// The code `cancelled`.
  public static var cancelled: Code { .cancelled }
  /// The code `unknown`.
  public static var unknown: Code { .unknown }
  /// The code `invalidArgument`.
  public static var invalidArgument: Code { .invalidArgument }
  /// The code `deadlineExceeded`.
  public static var deadlineExceeded: Code { .deadlineExceeded }
  /// The code `notFound`.
  public static var notFound: Code { .notFound }
  /// The code `alreadyExists`.
  public static var alreadyExists: Code { .alreadyExists }
  /// The code `permissionDenied`.
  public static var permissionDenied: Code { .permissionDenied }
  /// The code `resourceExhausted`.
  public static var resourceExhausted: Code { .resourceExhausted }
  /// The code `failedPrecondition`.
  public static var failedPrecondition: Code { .failedPrecondition }
  /// The code `aborted`.
  public static var aborted: Code { .aborted }
  /// The code `outOfRange`.
  public static var outOfRange: Code { .outOfRange }
  /// The code `unimplemented`.
  public static var unimplemented: Code { .unimplemented }
  /// The code `internal`.
  public static var `internal`: Code { .`internal` }
  /// The code `unavailable`.
  public static var unavailable: Code { .unavailable }
  /// The code `dataLoss`.
  public static var dataLoss: Code { .dataLoss }
  /// The code `unauthenticated`.
  public static var unauthenticated: Code { .unauthenticated }
}

/// Returns true if an error is Firestore's with a code, for `catch
/// FirestoreErrorCode.permissionDenied`.
public func ~= (code: FirestoreErrorCode.Code, error: any Error) -> Bool {
  let error = error as NSError
  return error.domain == FirestoreErrorDomain && error.code == code.rawValue
}
