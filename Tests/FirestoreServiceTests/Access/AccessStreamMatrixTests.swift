import FirestoreModel
import FirestoreWire
import Realtime
import Testing

@testable import FirestoreService

/// Side doors skip checks (peers' class), on the streams: every kind of target and of batch, as
/// WebChannel and as gRPC send them, on the default and on a named database, for every kind of
/// caller; also what must not be seen of later changes.
///
/// The sessions that carry WebChannel are another matter: here are its messages, both ways.
struct AccessStreamMatrixTests {
  enum Wire: CaseIterable, Sendable { case webChannel, grpc }

  /// A stream's client: what it was told, as JSON.
  private struct Client {
    let method: RPCMethod
    let call: any StreamCall
    let responses = ScriptedResponses()

    /// Throws what the stream is refused with.
    init(
      _ fixture: ServiceFixture,
      _ method: RPCMethod,
      _ caller: MatrixCaller
    ) throws(FirestoreError) {
      self.method = method
      let context = ServiceFixture.context(
        authorization: caller.authorization,
        memory: CallerMemory()
      )
      call = try fixture.service.open(method, context: context, responses: responses)
    }

    func send(_ messages: [[UInt8]]) { for message in messages { call.receive(message) } }

    var told: String {
      responses.messages.map { message in
        let json = try? RESTTranscoder().json(of: method, response: message)
        return String(decoding: json ?? Array("undecodable".utf8), as: UTF8.self)
      }.joined(separator: "\n")
    }

    /// What the stream comes to, nil being that it does what it was asked; `.none` where it comes to
    /// nothing.
    func outcome() async -> StatusCode?? { await responses.eventually { outcomeSoFar } }

    private var outcomeSoFar: StatusCode?? {
      for case .finished(let code, _) in responses.events { return code }
      let told = told
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
    do throws(FirestoreError) {
      client = try Client(fixture, stream.method, caller)
    } catch {
      #expect(error.code == expected, comment)
      return
    }
    let root = database.path + "/documents"
    client.send(
      wire == .grpc
        ? stream.grpc(root).map(\.bytes)
        : try stream.json(root).map {
          try RESTTranscoder().message(of: stream.method, json: Array($0.utf8))
        }
    )
    let outcome = try #require(await client.outcome(), "\(caller): \(client.told)")
    #expect(outcome == expected, "\(caller) \(database.database): \(client.told)")
    if outcome != nil { #expect(try fixture.contents(of: database) == before, comment) }
    if stream.method == .listen { try await changeEverything(fixture, database) }
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
    let shop = TestMessage.Part.message(3, .text(2, database.path + "/documents/shops/s1"))
    witness.send([
      TestMessage(.text(1, database.path), .message(2, shop, .number(5, 1))).bytes
    ])
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
      client.send(stream.grpc(ServiceFixture.documents).map(\.bytes))
      let outcome = try #require(await client.outcome())
      #expect(outcome == .permissionDenied)
    }
  }
}
