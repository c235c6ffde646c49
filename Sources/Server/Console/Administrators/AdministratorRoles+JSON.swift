import Access
import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel

// Roles as accounts, invitations and the page have them: `{"role": "editor", "projects": {"shop": "owner"}}`, of which
// either may be missing.

extension AdministratorRoles {
  /// Projects for which one administrator may have roles.
  static let projectLimit = 100

  /// Reads kept roles; nil where there are none.
  init?(_ json: JSONValue) {
    let projects = (json["projects"]?.members ?? []).compactMap { member in
      member.value.string.flatMap(AdministratorRole.init).map { (Text(member.key), $0) }
    }
    self.init(
      server: json["role"]?.string.flatMap(AdministratorRole.init),
      projects: Dictionary(projects) { max($0, $1) }
    )
  }

  /// Reads the roles for an administrator; throws INVALID_ARGUMENT for invalid ones, and for none.
  package init(
    server: String?,
    projects given: [(project: String, role: String)]
  ) throws(ServiceError) {
    var projects: [Text: AdministratorRole] = [:]
    for (project, role) in given {
      let id = DatabaseID(project: Text(project), database: "(default)")
      try id.checkCreatable()
      projects[id.project] = try Self.role(role)
    }
    guard projects.count <= Self.projectLimit else {
      throw .invalidArgument(
        "An administrator can have roles for at most \(Self.projectLimit) projects."
      )
    }
    let role = try server.map { text throws(ServiceError) in try Self.role(text) }
    guard let roles = AdministratorRoles(server: role, projects: projects) else {
      throw .invalidArgument("An administrator needs a role for all projects, or for at least one.")
    }
    self = roles
  }

  private static func role(_ text: String) throws(ServiceError) -> AdministratorRole {
    guard let role = AdministratorRole(rawValue: text) else {
      throw .invalidArgument("A role must be owner, editor or viewer.")
    }
    return role
  }

  private var sortedProjects: [(project: String, role: AdministratorRole)] {
    projects.map { ($0.key.string, $0.value) }.sorted { $0.0 < $1.0 }
  }

  /// The roles as members of a JSON object that is kept.
  var members: [JSONValue.Member] {
    let ofServer = server.map { [JSONValue.Member("role", .string($0.rawValue))] } ?? []
    guard !projects.isEmpty else { return ofServer }
    let ofProjects = sortedProjects.map { JSONValue.Member($0.project, .string($0.role.rawValue)) }
    return ofServer + [.init("projects", .object(ofProjects))]
  }

  /// The roles in projects as the page gets them.
  var projectsJSON: JSONValue {
    .object(sortedProjects.map { .init($0.project, .string($0.role.rawValue)) })
  }

  /// The roles for people.
  package var text: String {
    let ofServer = server.map { [$0.rawValue] } ?? []
    return (ofServer + sortedProjects.map { "\($0.role.rawValue) of \($0.project)" })
      .joined(separator: ", ")
  }
}

extension AdministratorRole? {
  /// The role as the page gets it; null for none.
  var json: JSONValue { map { .string($0.rawValue) } ?? .null }
}
