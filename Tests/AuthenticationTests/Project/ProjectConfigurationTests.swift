import BaseText
import Foundation
import Testing

@testable import Authentication

/// Tests of a project's kept choices, and of those that follow the server's mode.
struct ProjectConfigurationTests {
  @Test func `a development server's leave does not reach production`() throws {
    let development = try AccountsFixture { $0.defaults = .development }
    let project = development.project
    _ = try project.signUp(email: "ana@example.com", password: "her own password", from: .somewhere)
    #expect(try !project.configuration().hidesAccounts)
    let production = try Accounts(engine: development.engine).project("demo-brasa")
    #expect(try production.configuration().hidesAccounts)
    try production.configure { $0.hidesAccounts = false }
    let again = try Accounts(engine: development.engine).project("demo-brasa")
    #expect(try !again.configuration().hidesAccounts)
  }

  @Test func `a project that was told keeps it in development`() throws {
    let development = try AccountsFixture { $0.defaults = .development }
    try development.project.configure { $0.hidesAccounts = true }
    let again = try development.reopened().project("demo-brasa")
    #expect(try again.configuration().hidesAccounts)
  }

  @Test func `configurations from before are read`() throws {
    var old = try JSONSerialization.jsonObject(
      with: JSONEncoder().encode(ProjectConfiguration())
    )
    if var members = old as? [String: Any] {
      members["hidesAccounts"] = false
      old = members
    }
    let bytes = try JSONSerialization.data(withJSONObject: old)
    let read = try JSONDecoder().decode(ProjectConfiguration.self, from: bytes)
    #expect(!read.hidesAccounts && read.allowsPassword)
  }

  @Test func `projects are known by their accounts, and listed without reading them all`() throws {
    let fixture = try AccountsFixture()
    #expect(try fixture.accounts.knownProjects(limit: 2).isEmpty)
    for name in ["one", "two", "three"] as [Text] {
      #expect(try !fixture.accounts.knows(name))
      _ = try fixture.accounts.project(name).signUpAnonymously(from: .somewhere)
      #expect(try fixture.accounts.knows(name))
    }
    try fixture.accounts.project("set-up").configure { _ in }
    #expect(try fixture.accounts.knownProjects(limit: 10) == ["one", "two", "three", "set-up"])
    #expect(try fixture.accounts.knownProjects(limit: 2).count == 2)
  }
}
