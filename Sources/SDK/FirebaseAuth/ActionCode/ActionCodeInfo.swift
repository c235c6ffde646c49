import Foundation

/// The operation that the code of an email performs.
public enum ActionCodeOperation: Int, Sendable {
  /// Something that this version does not know.
  case unknown = 0
  /// A new password.
  case passwordReset = 1
  /// The proof of an email address.
  case verifyEmail = 2
  /// The return to an earlier email address.
  case recoverEmail = 3
  /// A sign-in.
  case emailLink = 4
  /// A new email address and its proof.
  case verifyAndChangeEmail = 5
  /// The removal of a second factor that another person may have added.
  case revertSecondFactorAddition = 6

  /// The operation of a server's request type.
  init(requestType: String?) {
    switch requestType {
    case "PASSWORD_RESET": self = .passwordReset
    case "VERIFY_EMAIL": self = .verifyEmail
    case "RECOVER_EMAIL": self = .recoverEmail
    case "EMAIL_SIGNIN": self = .emailLink
    case "VERIFY_AND_CHANGE_EMAIL": self = .verifyAndChangeEmail
    case "REVERT_SECOND_FACTOR_ADDITION": self = .revertSecondFactorAddition
    default: self = .unknown
    }
  }

  /// The operation of a link's mode.
  init(mode: String?) {
    switch mode {
    case "resetPassword": self = .passwordReset
    case "verifyEmail": self = .verifyEmail
    case "recoverEmail": self = .recoverEmail
    case "signIn": self = .emailLink
    case "verifyAndChangeEmail": self = .verifyAndChangeEmail
    case "revertSecondFactorAddition": self = .revertSecondFactorAddition
    default: self = .unknown
    }
  }
}

/// The purpose of the code of an email.
public final class ActionCodeInfo: NSObject, Sendable {
  /// The operation that the code performs.
  public let operation: ActionCodeOperation
  /// The address that the code is about: the new one where it changes.
  public let email: String
  /// The address before the change.
  public let previousEmail: String?

  init(_ answer: CodeAnswer) {
    operation = ActionCodeOperation(requestType: answer.requestType)
    email = answer.newEmail ?? answer.email ?? ""
    previousEmail = answer.newEmail == nil ? nil : answer.email
  }
}
