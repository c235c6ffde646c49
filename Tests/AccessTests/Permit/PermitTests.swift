import AccessTestSupport
import BaseStatus
import BaseText
import FirestoreModel
import Synchronization
import Testing

@testable import Access

/// Which permits there are for whom, and what they open.
struct PermitTests {
  private static let id = DatabaseID(project: "p")
  private static let key = AdministratorKey("brasa-admin-secret")
  private static let rules = "match /c/{id} { allow read; }"

  /// The outcome of a caller's request for the database `p`.
  private enum Outcome: String {
    case everything, rules, nothing
  }

  private static func user(_ project: Text) -> Caller {
    .user(UserIdentity(project: project, uid: "u", claims: MapValue(), expiry: .max, issued: 0))
  }

  private func outcome(_ fixture: AccessFixture, _ caller: Caller) -> Outcome {
    do throws(ServiceError) {
      return try fixture.access.permit(caller, Self.id).gate == nil ? .everything : .rules
    } catch {
      #expect(error.code == .permissionDenied && error.message == AccessControl.denied.message)
      return .nothing
    }
  }

  @Test(arguments: [
    (Caller.administrator, "everything", "everything", "everything", "everything"),
    (Caller.nobody, "everything", "rules", "nothing", "rules"),
    (PermitTests.user("p"), "everything", "rules", "nothing", "rules"),
    (PermitTests.user("q"), "everything", "rules", "nothing", "nothing"),
  ])
  func `a permit is for everything, for what the rules allow, or is not given`(
    caller: Caller,
    openDevelopment: String,
    ruledDevelopment: String,
    closedProduction: String,
    ruledProduction: String
  ) throws {
    let expected = [openDevelopment, ruledDevelopment, closedProduction, ruledProduction]
    var seen: [String] = []
    for mode in [AccessControl.Mode.development, .production(key: Self.key)] {
      let fixture = try AccessFixture(mode)
      defer { fixture.close() }
      seen.append(outcome(fixture, caller).rawValue)
      try fixture.rules.deploy(statements: Self.rules, in: Self.id)
      seen.append(outcome(fixture, caller).rawValue)
    }
    #expect(seen == expected)
  }

  @Test func `a permit makes no database until it opens it`() throws {
    let fixture = try AccessFixture(.development)
    defer { fixture.close() }
    let permit = try fixture.access.permit(.nobody, Self.id)
    #expect(try fixture.existing().isEmpty)
    #expect(try permit.database().id == Self.id)
    #expect(try fixture.existing() == [Self.id])
  }

  @Test func `what rules cannot allow takes a permit without rules`() throws {
    let fixture = try AccessFixture(.development)
    defer { fixture.close() }
    try fixture.access.permit(.nobody, Self.id).requireAdministrator(for: "Batch writes")
    try fixture.rules.deploy(statements: Self.rules, in: Self.id)
    try fixture.access.permit(.administrator, Self.id).requireAdministrator(for: "Batch writes")
    let permit = try fixture.access.permit(.nobody, Self.id)
    let error = #expect(throws: ServiceError.self) {
      try permit.requireAdministrator(for: "Batch writes")
    }
    #expect(error?.code == .permissionDenied)
    #expect(error?.message == "Batch writes require admin authentication.")
  }

  @Test(arguments: [
    (Caller.administrator, true, true), (Caller.nobody, true, false),
    (PermitTests.user("p"), false, false),
  ])
  func `all databases are for administrators, and in development for nobody in particular`(
    caller: Caller,
    inDevelopment: Bool,
    inProduction: Bool
  ) throws {
    for (mode, isGiven) in [
      (AccessControl.Mode.development, inDevelopment),
      (.production(key: Self.key), inProduction),
    ] {
      let fixture = try AccessFixture(mode)
      defer { fixture.close() }
      let permit = try? fixture.access.administratorPermit(for: caller)
      #expect((permit != nil) == isGiven)
    }
  }

  @Test func `an administrator's permit lists, makes, clears and deletes databases`() throws {
    let fixture = try AccessFixture(.production(key: Self.key))
    defer { fixture.close() }
    let permit = try fixture.access.administratorPermit(for: .administrator)
    let orders = DatabaseID(project: "p", database: "orders")
    try permit.createDatabase(orders)
    let first = try permit.database(orders)
    #expect(try permit.listDatabases().map(\.id) == [orders])
    try permit.clear(orders)
    #expect(first.isRetired)
    let second = try permit.database(orders)
    #expect(second.incarnation != first.incarnation)
    try permit.deleteDatabase(orders)
    #expect(second.isRetired)
    #expect(try permit.listDatabases().isEmpty)
  }

  @Test func `a permit without credentials leaves its reason in the log`() throws {
    let notes = Notes()
    let fixture = try AccessFixture(.production(key: Self.key), log: notes.logger(level: .info))
    defer { fixture.close() }
    _ = fixture.access.administratorPermit(reason: "control socket")
    let entries = notes.entries.withLock { $0 }
    #expect(entries.map(\.message) == ["administration"])
    #expect(entries.first?.metadata == ["reason": "control socket"])
  }

  @Test func `who is denied everything listens only to a database that exists`() throws {
    let fixture = try AccessFixture(.production(key: Self.key))
    defer { fixture.close() }
    let error = #expect(throws: ServiceError.self) {
      try fixture.access.databaseForListening(.nobody, Self.id)
    }
    #expect(error?.code == .permissionDenied)
    #expect(try fixture.existing().isEmpty)
    let made = try fixture.access.databaseForListening(.administrator, Self.id)
    #expect(try fixture.access.databaseForListening(.nobody, Self.id) === made)
  }
}
