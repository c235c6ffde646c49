import Access
import AccessTestSupport
import BaseStatus
import BaseText

/// A caller of a route, by the credentials that it sends.
package struct TestCaller: Sendable, CustomStringConvertible {
  /// The caller in messages of failed tests.
  package let description: String
  /// The header `authorization`; nil sends none.
  package let authorization: String?

  /// A caller with that header.
  package init(_ description: String, authorization: String?) {
    self.description = description
    self.authorization = authorization
  }

  /// No credentials.
  package static let stranger = TestCaller("stranger", authorization: nil)
  /// A token that nobody issued.
  package static let forger = TestCaller("forger", authorization: "Bearer forged")
  /// The holder of the administrator key of `TestServer`.
  package static let key = TestCaller(
    "administrator key",
    authorization: "Bearer \(TestServer.administratorKey)"
  )
  /// Development's administrator, as Google's emulators have it.
  package static let emulatorOwner = TestCaller("owner", authorization: "Bearer owner")

  /// A user of an app, with a valid ID token.
  package static func user(_ uid: String = "ana", of project: String = "p") -> TestCaller {
    TestCaller("user of \(project)", authorization: TestTokens.bearer(uid, project: project))
  }

  /// An administrator who signed in to the console, with a role for a project, or for the server where there is none.
  package static func administrator(
    _ role: AdministratorRole,
    of project: String? = nil,
    isRecent: Bool = true
  ) -> TestCaller {
    let token = [role.rawValue, project ?? "", isRecent ? "recent" : "old"].joined(separator: "/")
    return TestCaller(
      "\(isRecent ? "" : "long signed-in ")\(role) of \(project ?? "the server")",
      authorization: "Bearer \(AccessControl.administratorTokenPrefix)\(token)"
    )
  }
}

/// Reads the tokens of `TestCaller.administrator`.
package final class TestAdministrators: AdministratorTokens {
  /// Tokens whose sessions have not ended.
  package init() {}

  package func holder(of token: Substring) -> SignedInAdministrator? {
    let parts = Self.parts(of: token)
    guard parts.count == 3, let role = AdministratorRole(rawValue: String(parts[0])) else {
      return nil
    }
    let roles =
      parts[1].isEmpty
      ? AdministratorRoles(role)
      : AdministratorRoles(server: nil, projects: [Text(String(parts[1])): role])
    return roles.map {
      SignedInAdministrator(uid: "admin", email: "admin@example.com", roles: $0)
    }
  }

  package func signedInLately(holding token: Substring) -> Bool {
    Self.parts(of: token).last == "recent"
  }

  package func account(holding token: Substring) throws(ServiceError) -> CallerAccount? {
    holder(of: token).map { .administrator(uid: $0.uid, session: 1, email: $0.email) }
  }

  package func holder(
    uid: Text,
    session: Int64?
  ) throws(ServiceError) -> SignedInAdministrator? { nil }

  package func viewedUser(of token: Substring) -> UserIdentity? { nil }

  private static func parts(of token: Substring) -> [Substring] {
    token.dropFirst(AccessControl.administratorTokenPrefix.count)
      .split(separator: "/", omittingEmptySubsequences: false)
  }
}
