import AccessTestSupport
import FirestoreModel
import FirestoreWire
import Realtime
import Testing

@testable import FirestoreService

/// Listeners that come back with a token: what they missed is theirs only as far as their right
/// reaches back.
struct ListenRulesTests {
  private static let rules = """
    match /rooms/{room}/messages/{id} {
      allow read: if exists(
        /databases/$(database)/documents/rooms/$(room)/members/$(request.auth.uid));
    }
    match /notes/{id} { allow read: if resource == null || resource.data.owner == request.auth.uid; }
    """
  private static let owner = "Bearer owner"
  private static let root = ServiceFixture.documents

  private let fixture: ServiceFixture

  init() throws { fixture = try ServiceFixture(rules: Self.rules, listening: CommitFeed()) }

  private func write(_ path: String, _ method: String = "PATCH", _ fields: String = "") async throws
  {
    _ = try await fixture.call(
      method,
      "/" + path,
      method == "PATCH" ? #"{"fields":{\#(fields)}}"# : "",
      context: ServiceFixture.context(authorization: Self.owner)
    )
  }

  /// Returns the events of a listener until it is current or refused, in JSON.
  private func listen(
    _ target: TestMessage.Part,
    as authorization: String,
    from start: Start? = nil
  ) async throws -> String {
    let responses = ScriptedResponses()
    let call = try fixture.service.open(
      .listen,
      context: ServiceFixture.context(authorization: authorization),
      responses: responses
    )
    var parts = [target, .number(5, 1)]
    if let start { parts.append(start.part) }
    let database = String(Self.root.dropLast("/documents".count))
    call.receive(
      TestMessage(.text(1, database), .bytes(2, TestMessage(parts).bytes)).bytes
    )
    let answer = await responses.eventually { () -> String? in
      let told = responses.messages.map { message in
        let json = try? RESTTranscoder().json(of: .listen, response: message)
        return String(decoding: json ?? Array("undecodable".utf8), as: UTF8.self)
      }.joined()
      return told.contains("CURRENT") || told.contains("REMOVE") ? told : nil
    }
    call.cancel()
    return try #require(answer)
  }

  /// The point at which a listener left off: the server's token, or a time, as targets of bundles
  /// begin.
  private enum Start {
    case token([UInt8])
    case readTime(Timestamp)

    var part: TestMessage.Part {
      switch self {
      case .token(let bytes): .bytes(4, bytes)
      case .readTime(let time):
        .message(11, .number(1, time.seconds), .number(2, Int64(time.nanos)))
      }
    }
  }

  private static let room = TestMessage.Part.message(
    2,
    .text(1, root + "/rooms/r"),
    .message(2, .message(2, .text(2, "messages")))
  )

  private static func document(_ path: String) -> TestMessage.Part {
    .message(3, .text(2, "\(root)/\(path)"))
  }

  /// The token of now, as an administrator gets it, or its time.
  private func start(_ isToken: Bool = true) throws -> Start {
    let database = try fixture.databases.database(DatabaseID(project: "p"))
    let now = try database.readTime()
    guard isToken else { return .readTime(now.timestamp) }
    return .token(ResumeToken(of: database, version: now, marks: []).bytes)
  }

  private static let alice = TestTokens.bearer("alice", isSigned: false)

  @Test(arguments: [true, false])
  func `a token or time from before the right was given tells nothing of it`(
    isToken: Bool
  ) async throws {
    defer { fixture.close() }
    for id in ["kept", "gone"] { try await write("rooms/r/messages/\(id)") }
    let early = try start(isToken)
    try await write("rooms/r/messages/gone", "DELETE")
    try await write("rooms/r/members/alice")
    let told = try await listen(Self.room, as: Self.alice, from: early)
    #expect(told.contains("RESET") && told.contains("kept") && !told.contains("gone"), "\(told)")
    // Whose right reaches back is told what went.
    let later = try start(isToken)
    try await write("rooms/r/messages/kept", "DELETE")
    let rest = try await listen(Self.room, as: Self.alice, from: later)
    #expect(!rest.contains("RESET") && rest.contains("kept"), "\(rest)")
    let all = try await listen(Self.room, as: Self.owner, from: early)
    #expect(!all.contains("RESET") && all.contains("gone"), "\(all)")
  }

  @Test(arguments: [true, false])
  func `a token or time does not tell whether there was a document that one could not read`(
    isToken: Bool
  ) async throws {
    defer { fixture.close() }
    for (id, owner) in [("theirs", "bob"), ("mine", "alice")] {
      try await write("notes/\(id)", "PATCH", #""owner":{"stringValue":"\#(owner)"}"#)
    }
    let early = try start(isToken)
    for id in ["theirs", "mine"] { try await write("notes/\(id)", "DELETE") }
    var answers: Set<String> = []
    for id in ["theirs", "never", "mine"] {
      let told = try await listen(Self.document("notes/\(id)"), as: Self.alice, from: early)
      answers.insert(String(told.replacing(id, with: "ID").prefix { $0 != "." }))
      #expect(told.contains("RESET") && told.contains("documentDelete"), "\(told)")
    }
    #expect(answers.count == 1, "\(answers)")
  }

  @Test(arguments: [(20, true), (1_001, false)])
  func `a target names a bounded number of documents`(count: Int, isTaken: Bool) async throws {
    defer { fixture.close() }
    let names = (0..<count).map { TestMessage.Part.text(2, "\(Self.root)/notes/\($0)") }
    let told = try await listen(.bytes(3, TestMessage(names).bytes), as: Self.alice)
    #expect(told.contains("CURRENT") == isTaken)
    #expect(told.contains("\"code\":3") == !isTaken)
  }
}
