import AccessTestSupport
import BaseStatus
import FirestoreModel
import FirestoreWire
import Testing

@testable import Access
@testable import FirestoreService

/// Side doors skip checks (peers' class): every operation, over both protocols, on the default and on
/// a named database, for every kind of caller, also for what must not be seen or changed.
struct AccessMatrixTests {
  enum Wire: CaseIterable, Sendable { case rest, grpc }

  private static let databases = [
    DatabaseID(project: "p"), DatabaseID(project: "p", database: "orders"),
  ]

  @Test(arguments: MatrixOperation.all, Wire.allCases)
  func `side doors skip no checks`(operation: MatrixOperation, wire: Wire) async throws {
    for database in Self.databases {
      for caller in MatrixCaller.allCases {
        try await check(operation, wire, database, caller)
      }
    }
  }

  /// Revoked rights live on in the past: nobody under rules chooses the time that he reads at.
  @Test(arguments: MatrixOperation.past, Wire.allCases)
  func `side doors skip no checks: chosen read times`(
    operation: MatrixOperation,
    wire: Wire
  ) async throws {
    for database in Self.databases {
      for caller in MatrixCaller.allCases {
        try await check(operation, wire, database, caller)
      }
    }
  }

  private func check(
    _ operation: MatrixOperation,
    _ wire: Wire,
    _ database: DatabaseID,
    _ caller: MatrixCaller
  ) async throws {
    let fixture = try ServiceFixture(
      .production(key: AdministratorKey(MatrixCaller.key)),
      verifier: TestVerifier(),
      rules: MatrixOperation.rules,
      in: database
    )
    defer { fixture.close() }
    try await fixture.fillForMatrix(database)
    let before = try fixture.contents(of: database)
    let mayAct = caller == .administrator || operation.allowed.contains(caller)
    let expected =
      caller.refusal
      ?? (caller == .administrator
        ? operation.administratorError : mayAct ? operation.allowedError : .permissionDenied)
    var answer = ""
    var code: StatusCode?
    do {
      answer = try await perform(operation, wire, fixture, database, caller)
    } catch let error as ServiceError {
      code = error.code
      answer = "\(error.message) \(error.violations) \(String(describing: error.reason))"
    }
    #expect(code == expected, "\(caller) \(database.database) \(answer)")
    if caller != .administrator {
      let others = ServiceFixture.matrixDocuments.map(\.owner).filter {
        $0 != "public" && $0 != "\(caller)"
      }
      for owner in others {
        #expect(!answer.contains("secret of \(owner)"), "\(caller) sees what is \(owner)'s")
      }
    }
    if code != nil {
      #expect(try fixture.contents(of: database) == before, "\(caller) changed something")
    }
    if code == .permissionDenied, !answer.contains("require admin authentication.") {
      #expect(answer.hasPrefix("Missing or insufficient permissions. []"))
    }
  }

  private func perform(
    _ operation: MatrixOperation,
    _ wire: Wire,
    _ fixture: ServiceFixture,
    _ database: DatabaseID,
    _ caller: MatrixCaller
  ) async throws -> String {
    let context = ServiceFixture.context(
      authorization: caller.authorization,
      memory: CallerMemory()
    )
    let root = database.path + "/documents"
    let time = try fixture.readTime(of: database)
    switch wire {
    case .rest:
      let (method, path, body) = operation.rest(root, at: time)
      return try await fixture.call(method, path, body, root: "/v1/" + root, context: context)
        .joined()
    case .grpc:
      let (method, message) = operation.grpc(root, at: time)
      return try await fixture.perform(method, message, context)
        .map { String(decoding: $0, as: UTF8.self) }.joined()
    }
  }

  @Test func `every method of the API has a row`() {
    let covered = Set(MatrixOperation.all.map { $0.grpc("r/documents").0 })
    #expect(covered.union(MatrixStream.all.map(\.method)) == Set(RPCMethod.allCases))
  }

  @Test(arguments: MatrixOperation.all)
  func `open defaults: without rules production denies every client`(
    operation: MatrixOperation
  ) async throws {
    let fixture = try ServiceFixture(
      .production(key: AdministratorKey(MatrixCaller.key)),
      verifier: TestVerifier(),
      rules: MatrixOperation.rules,
      in: DatabaseID(project: "elsewhere")
    )
    defer { fixture.close() }
    for caller in [MatrixCaller.nobody, .alice] {
      for wire in Wire.allCases {
        let error = await #expect(throws: ServiceError.self) {
          try await perform(operation, wire, fixture, DatabaseID(project: "p"), caller)
        }
        #expect(error?.code == .permissionDenied)
      }
    }
  }
}
