import Foundation

/// Email addresses with a password or a link.
public final class EmailAuthProvider: NSObject, Sendable {
  /// The provider's id.
  public static let id = "password"

  /// The credential of an email address and its password.
  public static func credential(withEmail email: String, password: String) -> AuthCredential {
    EmailAuthCredential(email: email, proof: .password(password))
  }

  /// The credential of an email address and the link of an email; traps on any other link.
  public static func credential(withEmail email: String, link: String) -> AuthCredential {
    guard let code = ActionCodeURL.signInCode(in: link) else {
      preconditionFailure("The link provided is not valid for email/link sign-in.")
    }
    return EmailAuthCredential(email: email, proof: .link(code: code))
  }
}

/// An email address with a password or a link's code.
final class EmailAuthCredential: AuthCredential, @unchecked Sendable {
  enum Proof: Sendable {
    case password(String)
    case link(code: String)
  }

  private let email: String
  private let proof: Proof

  init(email: String, proof: Proof) {
    self.email = email
    self.proof = proof
    super.init(provider: EmailAuthProvider.id)
  }

  override func request(
    linkingTo idToken: String?,
    _ use: CredentialUse
  ) throws -> AuthRequest<SessionAnswer> {
    var fields: [String: AuthField?] = [
      "email": .text(email), "idToken": .optional(idToken), "returnSecureToken": .flag(true),
    ]
    switch proof {
    case .link(let code):
      fields["oobCode"] = .text(code)
      return AuthRequest("v1/accounts:signInWithEmailLink", .identity, fields)
    case .password(let password):
      guard !password.isEmpty else { throw AuthErrorCode.wrongPassword.error() }
      fields["password"] = .text(password)
      let operation = idToken == nil ? "signInWithPassword" : "signUp"
      return AuthRequest("v1/accounts:\(operation)", .identity, fields)
    }
  }
}
