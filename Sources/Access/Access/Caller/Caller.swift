import BaseText

/// The caller of a call, as far as its credentials say.
package enum Caller: Sendable, Hashable {
  /// Holds the administrator key, or is development mode's `Bearer owner`: rules do not apply.
  case administrator
  /// Signed in to the console with a role that allows the call in these projects: rules do not apply
  /// there, and everything else is refused.
  case projectAdministrator(of: Set<Text>)
  /// Sent no credentials.
  case nobody
  /// Signed in; reaches what the rules allow.
  case user(UserIdentity)

  /// True if the caller administers anything.
  package var isAdministrator: Bool {
    switch self {
    case .administrator, .projectAdministrator: true
    case .nobody, .user: false
    }
  }

  /// Returns true if the caller administers a project, alone or with others.
  package func administers(_ project: Text) -> Bool {
    switch self {
    case .administrator: true
    case .projectAdministrator(let projects): projects.contains(project)
    case .nobody, .user: false
    }
  }
}
