import BaseText

/// The roles of an administrator: one for the whole server, others for single projects.
///
/// In a project the higher of the two counts; a call without a project needs the role for the
/// server.
package struct AdministratorRoles: Sendable, Hashable {
  /// The role for all projects and the server itself; nil for administrators of single projects alone.
  package let server: AdministratorRole?
  /// The roles for single projects, by project id.
  package let projects: [Text: AdministratorRole]

  /// Roles; nil where there is none at all.
  package init?(server: AdministratorRole?, projects: [Text: AdministratorRole] = [:]) {
    guard server != nil || !projects.isEmpty else { return nil }
    self.server = server
    self.projects = projects
  }

  /// A role for the whole server.
  package init(_ role: AdministratorRole) {
    server = role
    projects = [:]
  }

  /// The role in a project; nil where there is none.
  package func role(in project: Text) -> AdministratorRole? {
    [server, projects[project]].compactMap(\.self).max()
  }

  /// The caller that an administrator of these roles is in calls that take a role; nil where they allow it nowhere.
  func caller(for demand: AdministratorRole) -> Caller? {
    if let server, server >= demand { return .administrator }
    let allowed = projects.filter { $0.value >= demand }.keys
    return allowed.isEmpty ? nil : .projectAdministrator(of: Set(allowed))
  }
}
