import BaseText
import Testing

@testable import Authentication

/// Apps that projects are registered with.
@Suite
struct RegisteredAppTests {
  private static func ios(
    _ bundleID: String?,
    in project: ProjectAccounts
  ) throws -> RegisteredApp {
    try project.registerApp(.ios, bundleID: bundleID, displayName: nil, projectNumber: 42)
  }

  @Test(arguments: EngineKind.allCases)
  func `an app is there until it is removed`(kind: EngineKind) throws {
    let fixture = try AccountsFixture(kind)
    let project = fixture.project
    #expect(try !fixture.accounts.knows("demo-brasa"))
    let app = try Self.ios("com.example.shop", in: project)
    #expect(app.id.wholeMatch(of: #/1:42:ios:[0-9a-f]{22}/#) != nil && app.senderID == "42")
    let web = try project.registerApp(.web, bundleID: nil, displayName: "W", projectNumber: 42)
    #expect(Set(try project.apps()) == [app, web])
    #expect(try project.app(app.id) == app && project.app("com.example.shop") == app)
    #expect(try fixture.reopened().project("demo-brasa").app(web.id) == web)
    #expect(try fixture.accounts.project("another").apps().isEmpty)
    #expect(try fixture.accounts.knows("demo-brasa"))
    #expect(try fixture.accounts.knownProjects(limit: 9) == ["demo-brasa"])
    #expect(try project.removeApp(app.id) && !project.removeApp(app.id))
    #expect(try project.apps() == [web])
  }

  @Test
  func `a bundle id is one app's of a platform`() throws {
    let project = try AccountsFixture().project
    _ = try Self.ios("com.example.shop", in: project)
    #expect(throws: AccountError.self) { try Self.ios("com.example.shop", in: project) }
    let android = try project.registerApp(
      .android,
      bundleID: "com.example.shop",
      displayName: nil,
      projectNumber: 42
    )
    #expect(try project.apps().count == 2 && android.platform == .android)
  }

  @Test(arguments: [nil, "", "shop", "com..shop", "com.example.", "com.exämple.shop", "a b.c"])
  func `what is no bundle id is refused`(bundleID: String?) throws {
    let project = try AccountsFixture().project
    #expect(throws: AccountError.self) { try Self.ios(bundleID, in: project) }
  }

  @Test
  func `apps without a bundle have no bundle id`() throws {
    let project = try AccountsFixture().project
    #expect(throws: AccountError.self) {
      try project.registerApp(.linux, bundleID: "a.b", displayName: nil, projectNumber: 42)
    }
    #expect(throws: AccountError.self) {
      try project.registerApp(.linux, bundleID: nil, displayName: "", projectNumber: 42)
    }
  }

  @Test
  func `verifying tells of a damaged app`() throws {
    let fixture = try AccountsFixture()
    let app = try Self.ios("com.example.shop", in: fixture.project)
    let key = AccountKey.prefix(.app, .project("demo-brasa"), Text(app.id))
    try fixture.engine.write { try $0.put(key, [1]) }
    var differences: [String] = []
    _ = try fixture.accounts.verify(progress: { _ in }, report: { differences.append($0) })
    #expect(differences.count == 1 && differences.first?.hasPrefix("damaged app") == true)
  }
}
