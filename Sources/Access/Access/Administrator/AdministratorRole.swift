/// The rights of an administrator who signed in; each role includes the ones before it.
package enum AdministratorRole: String, Sendable, Hashable, Comparable, CaseIterable {
  /// Reads everything that is no secret, and changes nothing.
  case viewer
  /// Changes everything except the administrators and the existence of databases.
  case editor
  case owner

  /// Returns true where the right role may do more than the left.
  package static func < (left: AdministratorRole, right: AdministratorRole) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int {
    switch self {
    case .viewer: 0
    case .editor: 1
    case .owner: 2
    }
  }
}
