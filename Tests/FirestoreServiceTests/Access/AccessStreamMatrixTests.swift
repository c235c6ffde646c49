import AccessTestSupport
import BaseStatus
import FirestoreModel
import FirestoreWire
import Realtime
import Testing

@testable import Access
@testable import FirestoreService

/// Side doors skip checks (peers' class), on the streams: every kind of target and of batch, through
/// WebChannel's sessions and as gRPC, on the default and on a named database, for every kind of caller;
/// also what must not be seen of later changes.
struct AccessStreamMatrixTests {
  enum Wire: CaseIterable, Sendable { case webChannel, grpc }

  /// A stream's client: what it was told, as JSON.
  private struct Client {
    private enum Transport {
      case grpc(any StreamCall)
      case webChannel(WebChannelClient)
    }

    let method: RPCMethod
    let responses: ScriptedResponses
    private let transport: Transport

    /// Throws what a gRPC stream is refused with; a session tells it in the stream.
    init(
      _ fixture: ServiceFixture,
      _ method: RPCMethod,
      _ caller: MatrixCaller,
      _ wire: Wire = .grpc
    ) throws {
      self.method = method
      switch wire {
      case .grpc:
        responses = ScriptedResponses()
        let context = ServiceFixture.context(
          authorization: caller.authorization,
          memory: CallerMemory()
        )
        transport = .grpc(
          try fixture.service.open(method, context: context, responses: responses)
        )
      case .webChannel:
        let client = try WebChannelClient(
          fixture.service,
          method,
          authorization: caller.authorization
        )
        responses = client.arrays
        transport = .webChannel(client)
      }
    }

    func ask(_ stream: MatrixStream, _ root: String) async throws {
      switch transport {
      case .grpc(let call): for message in stream.grpc(root) { call.receive(message.bytes) }
      case .webChannel(let client): try await client.send(stream.json(root))
      }
    }

    /// Has `told` hold all that the service has said by now.
    func catchUp() throws {
      if case .webChannel(let client) = transport { try client.readAgain() }
    }

    func close() {
      switch transport {
      case .grpc(let call): call.cancel()
      case .webChannel(let client): client.close()
      }
    }

    var told: String {
      responses.messages.map { message in
        guard case .grpc = transport else { return String(decoding: message, as: UTF8.self) }
        let json = try? RESTTranscoder().json(of: method, response: message)
        return String(decoding: json ?? Array("undecodable".utf8), as: UTF8.self)
      }.joined(separator: "\n")
    }

    /// Returns the outcome of the stream, nil if it does the requested work; `.none` if it has no
    /// outcome.
    func outcome() async -> StatusCode?? { await responses.eventually { outcomeSoFar } }

    private var outcomeSoFar: StatusCode?? {
      for case .finished(let code, _) in responses.events { return code }
      let told = told
      if told.contains("{\"error\":") {
        return StatusCode.allCases.first { told.contains("\"\($0.name)\"") } ?? .unknown
      }
      if method == .write { return told.contains("commitTime") ? .some(nil) : .none }
      if told.contains("\"REMOVE\"") {
        return told.contains("\"code\":7") ? .permissionDenied : .unknown
      }
      return told.contains("\"CURRENT\"") ? .some(nil) : .none
    }
  }

  private static let databases = [
    DatabaseID(project: "p"), DatabaseID(project: "p", database: "orders"),
  ]

  private static let owners = ["alice", "bob", "shop"]

  @Test(arguments: MatrixStream.all, Wire.allCases)
  func `side doors skip no checks: streams`(stream: MatrixStream, wire: Wire) async throws {
    for database in Self.databases {
      for caller in MatrixCaller.allCases { try await check(stream, wire, database, caller) }
    }
  }

  private func check(
    _ stream: MatrixStream,
    _ wire: Wire,
    _ database: DatabaseID,
    _ caller: MatrixCaller
  ) async throws {
    let fixture = try ServiceFixture(
      .production(key: AdministratorKey(MatrixCaller.key)),
      verifier: TestVerifier(),
      rules: MatrixOperation.rules,
      in: database,
      listening: CommitFeed()
    )
    defer { fixture.close() }
    try await fixture.fillForMatrix(database)
    let before = try fixture.contents(of: database)
    let mayAct = caller == .administrator || stream.allowed.contains(caller)
    let expected = caller.refusal ?? (mayAct ? nil : .permissionDenied)
    let comment = Comment(rawValue: "\(caller) \(database.database)")
    let client: Client
    do {
      client = try Client(fixture, stream.method, caller, wire)
    } catch let error as ServiceError {
      #expect(error.code == expected, comment)
      return
    }
    defer { client.close() }
    try await client.ask(stream, database.path + "/documents")
    let outcome = try #require(await client.outcome(), "\(caller): \(client.told)")
    #expect(outcome == expected, "\(caller) \(database.database): \(client.told)")
    if outcome != nil { #expect(try fixture.contents(of: database) == before, comment) }
    if stream.method == .listen { try await changeEverything(fixture, database) }
    try client.catchUp()
    expectSecrecy(client.told, of: caller)
    if stream.method == .listen, outcome == nil, caller != .administrator {
      #expect(client.told.contains("later secret"), comment)
    }
  }

  private func expectSecrecy(_ told: String, of caller: MatrixCaller) {
    guard caller != .administrator else { return }
    for owner in Self.owners where owner != "\(caller)" {
      #expect(!told.contains("secret of \(owner)"), "\(caller) is told what is \(owner)'s")
    }
  }

  /// Changes all documents, and returns when every stream has been told what it is to be told.
  private func changeEverything(_ fixture: ServiceFixture, _ database: DatabaseID) async throws {
    let witness = try Client(fixture, .listen, .administrator)
    defer { witness.close() }
    try await witness.ask(MatrixStream.witness, database.path + "/documents")
    // The hub works off one group after the other: the last is told when all before it have been.
    for word in ["later", "last"] {
      try await fixture.fillForMatrix(database, prefix: "\(word) ")
      let isTold = await witness.responses.eventually {
        witness.told.contains("\(word) secret of shop") ? true : nil
      }
      #expect(isTold == true, "the witness saw nothing of '\(word)'")
    }
  }

  @Test(arguments: MatrixStream.all)
  func `open defaults: without rules production denies every stream`(
    stream: MatrixStream
  ) async throws {
    let fixture = try ServiceFixture(
      .production(key: AdministratorKey(MatrixCaller.key)),
      verifier: TestVerifier(),
      rules: MatrixOperation.rules,
      in: DatabaseID(project: "elsewhere"),
      listening: CommitFeed()
    )
    defer { fixture.close() }
    for caller in [MatrixCaller.nobody, .alice] {
      let client = try Client(fixture, stream.method, caller)
      try await client.ask(stream, ServiceFixture.documents)
      let outcome = try #require(await client.outcome())
      #expect(outcome == .permissionDenied)
    }
  }
}
