import Access
import AuditTrail
import Authentication
import Console

extension LocalAdministration {
  /// Does what `brasa console` asks.
  func console(
    _ request: ConsoleRequest,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let administrators = Administrators(accounts, requiresSecondFactor: true)
    switch request {
    case .invite(let email, let role, let projects, let seconds, let origin):
      let roles = try AdministratorRoles(
        server: projects.isEmpty ? role : nil,
        projects: projects.map { ($0, role) }
      )
      let code = try administrators.invite(email: email, roles: roles, lifetime: seconds)
      try note("invite", of: email ?? "")
      try output(.line(Administrators.link(code, origin: origin ?? accounts.origin)))
      try output(.finished(summary: "works once, within \(seconds / 60) minutes"))
    case .list:
      let lines = try administrators.lines()
      for line in lines { try output(.line(line)) }
      for link in try administrators.openInvitations() { try output(.line(link.line)) }
      try output(.finished(summary: lines.count.counting("administrator")))
    case .remove(let email):
      try administrators.remove(email)
      try note("remove", of: email)
      let keys = try isAway ? [] : keyRegister.made(by: email)
      for key in keys {
        try output(.line("created by \(email) and still valid: \(key.text)"))
      }
      if !keys.isEmpty { try output(.line("To end them: brasa keys revoke --made-by \(email)")) }
      try output(.finished(summary: "removed \(email)"))
    }
  }

  private func note(_ action: String, of email: String) throws {
    try audit.append(
      AuditEvent(
        administrator: "",
        address: "",
        action: action,
        target: email,
        status: 200,
        requestID: ""
      )
    )
  }
}
