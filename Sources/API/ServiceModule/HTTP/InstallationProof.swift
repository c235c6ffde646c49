import BaseText
import HTTPTypes

/// The proof that a request comes from an app's installation: its authentication token.
///
/// An installation's id is no secret, so nothing is kept in the name of one that a request only names.
package struct InstallationProof: Sendable {
  /// An app's installation, as its authentication token proves it.
  package struct Installation: Sendable, Equatable {
    /// The id of the project that issued the token.
    package let project: Text
    /// The Firebase installation id.
    package let id: String
    /// The id of the app, such as `1:42:ios:ab`.
    package let appID: String

    /// An installation of an app.
    package init(project: Text, id: String, appID: String) {
      self.project = project
      self.id = id
      self.appID = appID
    }
  }

  /// The outcome of a request's proof.
  package enum Claim: Sendable, Equatable {
    /// Development believes what a request says.
    case believed
    case proved(Installation)
    case nothing

    /// The installation that was proved; nil for others.
    package var installation: Installation? {
      if case .proved(let installation) = self { installation } else { nil }
    }

    /// Returns true if the request may act for an app, or names none.
    package func covers(app: String?) -> Bool {
      switch self {
      case .believed: true
      case .proved(let known): app == nil || app == known.appID
      case .nothing: false
      }
    }

    /// Returns true if the request may act for an installation, or names none.
    package func covers(installation id: String?) -> Bool {
      switch self {
      case .believed: true
      case .proved(let known): id == nil || id == known.id
      case .nothing: false
      }
    }
  }

  private let believes: Bool
  private let installation: @Sendable (_ token: String) -> Installation?
  /// The id that a secret proves to be its maker's; nil for another text.
  package let idOfSecret: @Sendable (_ secret: String) -> String?

  /// A proof by tokens, whose installation a function tells without blocking; `believes` is for development alone.
  package init(
    believes: Bool,
    idOfSecret: @escaping @Sendable (_ secret: String) -> String?,
    installation: @escaping @Sendable (_ token: String) -> Installation?
  ) {
    self.believes = believes
    self.idOfSecret = idOfSecret
    self.installation = installation
  }

  /// The claim of a request in a project, by the token in its header, or in its body where the product's clients send it there.
  package func claim(
    of request: ServiceRequest,
    in project: Text,
    token: String? = nil
  ) -> Claim {
    if believes { return .believed }
    for text in [request.headers[.installationToken], token].compactMap(\.self) {
      if let known = installation(Self.bare(text)), known.project == project {
        return .proved(known)
      }
    }
    return .nothing
  }

  /// Clients write a token with or without the name of its scheme.
  private static func bare(_ text: String) -> String {
    text.hasPrefix("FIS ") ? String(text.dropFirst(4)) : text
  }
}

extension HTTPField.Name {
  /// The field `x-goog-firebase-installations-auth`.
  fileprivate static let installationToken: HTTPField.Name = {
    guard let field = HTTPField.Name("x-goog-firebase-installations-auth") else {
      preconditionFailure("the literal is a field's name")
    }
    return field
  }()
}
