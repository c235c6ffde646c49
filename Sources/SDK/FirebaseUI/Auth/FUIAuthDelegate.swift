import FirebaseAuth
import FirebaseCore
import Foundation

/// A receiver of sign-ins.
public protocol FUIAuthDelegate: AnyObject {
  /// A user signed in, or did not: then there is an error.
  func authUI(_ authUI: FUIAuth, didSignInWith authDataResult: AuthDataResult?, error: (any Error)?)
}

extension FUIAuthDelegate {
  /// Does nothing, for delegates that look at the account's own listeners instead.
  public func authUI(
    _ authUI: FUIAuth,
    didSignInWith authDataResult: AuthDataResult?,
    error: (any Error)?
  ) {}
}

/// The reason why a sign-in ended without an account, beyond the errors of `FirebaseAuth`; the
/// numbers are our own.
public enum FUIAuthErrorCode: Int, ErrorWithObject, LocalizedError, CustomNSError, Sendable {
  /// The person did not want to, here or at the provider's page.
  case userCancelledSignIn = 1
  /// The provider has no id, or the accounts are gone.
  case cannotFindProvider = 2
  /// The answer belongs to no sign-in that was begun here.
  case noSignInUnderWay = 3
  /// The system is older than iOS 17.4, which providers' pages in production need.
  case systemTooOld = 4

  /// `FUIAuthErrorDomain`.
  public static var errorDomain: String { "FUIAuthErrorDomain" }

  /// The number.
  public var errorCode: Int { rawValue }

  /// The error as an object.
  package var object: NSError {
    NSError(domain: Self.errorDomain, code: rawValue, userInfo: errorUserInfo)
  }

  /// The error of an object of this domain.
  package init?(object: NSError) {
    guard object.domain == Self.errorDomain else { return nil }
    self.init(rawValue: object.code)
  }

  /// The sentence for people, for those who take the error as an `NSError`.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? ""] }

  /// A sentence for people.
  public var errorDescription: String? {
    switch self {
    case .userCancelledSignIn: "The sign-in was cancelled."
    case .cannotFindProvider: "The provider does not exist."
    case .systemTooOld: "Sign-in at a provider's page needs iOS 17.4. Update the system."
    case .noSignInUnderWay: "No sign-in is in progress. Start again."
    }
  }
}
