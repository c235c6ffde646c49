import Authentication
import BaseText

// Which project a client means.

/// The project of API keys that name none.
package enum DefaultProject: Sendable, Equatable {
  /// Such keys are refused.
  case none
  case named(Text)
  /// Development's: the only project there is, else `demo-brasa`.
  case onlyOne
}

extension IdentityService {
  /// The project of a client's request; an administrator may name another one in the body.
  ///
  /// Development takes tokens of any audience: there an ID token in the body that names a project with
  /// accounts goes before the key.
  func project(of envelope: IdentityEnvelope) throws -> Text {
    if let target = envelope.text("targetProjectId") ?? envelope.text("target_project_id") {
      guard envelope.isAdministrator else {
        throw IdentityFailure.code(
          "INSUFFICIENT_PERMISSION",
          "Only authenticated requests can specify target_project_id."
        )
      }
      return Text(target)
    }
    let named = try project(ofKey: envelope)
    guard environment.isDevelopment, let token = envelope.text("idToken"),
      let audience = (try? JSONWebToken(parsing: token))?.claims["aud"]?.string.map({ Text($0) }),
      audience != named, try accounts.knows(audience)
    else { return named }
    envelope.logger.notice(
      "the token and the API key name different projects; accepted in development only",
      metadata: ["token": "\(audience)", "key": "\(named)"]
    )
    return audience
  }

  /// The project that an API key names: of its own id if there is one, or else the server's.
  func project(ofKey envelope: IdentityEnvelope) throws -> Text {
    guard let text = envelope.query.apiKey ?? envelope.apiKey, !text.isEmpty else {
      throw IdentityFailure.missingKey
    }
    return try project(ofKey: text)
  }

  /// As above, for the key alone.
  func project(ofKey text: String) throws -> Text {
    let key = Text(text)
    if try accounts.knows(key) || environment.projectsWithData().contains(key) { return key }
    switch environment.defaultProject {
    case .none: throw IdentityFailure.invalidKey
    case .named(let project): return project
    case .onlyOne: return try onlyProject() ?? "demo-brasa"
    }
  }

  /// The only project with accounts; where none has any, the only one with data.
  ///
  /// Accounts go first, so that they are found again when databases of other projects come.
  private func onlyProject() throws -> Text? {
    let withAccounts = try accounts.knownProjects(limit: 2)
    let found = withAccounts.isEmpty ? try environment.projectsWithData() : withAccounts
    return found.count == 1 ? found.first : nil
  }
}

extension IdentityEnvelope {
  /// A text of the body's object.
  fileprivate func text(_ name: String) -> String? {
    guard case .object(let members) = body,
      case .string(let text)? = members.first(where: { $0.key == name })?.value
    else { return nil }
    return text
  }
}
