import Authentication

/// An action that apps may take without an administrator, as `brasa users methods` names it.
enum SignInMethod: String, Codable, Sendable, CaseIterable {
  case password
  case emailLink = "email-link"
  case anonymous
  case signUp = "sign-up"
  case deletion

  /// The setting of a project's configuration that allows it.
  var setting: WritableKeyPath<ProjectConfiguration, Bool> {
    switch self {
    case .password: \.allowsPassword
    case .emailLink: \.allowsEmailLink
    case .anonymous: \.allowsAnonymous
    case .signUp: \.allowsSignUp
    case .deletion: \.allowsDeletion
    }
  }

  /// The method with what the configuration says of it.
  func description(in configuration: ProjectConfiguration) -> String {
    "\(rawValue)  \(configuration[keyPath: setting] ? "on" : "off")"
  }
}
