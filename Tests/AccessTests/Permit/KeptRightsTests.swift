import AccessTestSupport
import BaseStatus
import BaseText
import Dispatch
import DocumentCodec
import DocumentStore
import FirestoreModel
import Foundation
import KeyValueStore
import ModelTestSupport
import SecurityRules
import Synchronization
import Testing

@testable import Access

/// Compares connections that remember callers and rules with ones that remember nothing.
@Suite("Rights that a connection remembers")
struct KeptRightsTests {
  private static var steps: Int {
    ProcessInfo.processInfo.environment["BRASA_SLOW_TESTS"] != nil ? 1_000_000 : 6_000
  }

  @Test(arguments: [1, 2, UInt64.random(in: 3...UInt64.max)])
  func `each call is decided as the rules, the tokens and the documents are when it comes`(
    seed: UInt64
  ) throws {
    print("rights that a connection remembers, seed \(seed)")
    let history = try RightsHistory(seed: seed)
    defer { history.close() }
    for _ in 0..<(Self.steps / 3) { try history.step() }
    // A history that lacks a kind of outcome proves nothing.
    #expect(history.seen.count == 5, "seed \(seed)")
  }

  @Test func `rules that are replaced or taken back are not those of a connection any more`() throws
  {
    let fixture = try AccessFixture(.production(key: AdministratorKey("secret")))
    defer { fixture.close() }
    let id = DatabaseID(project: "p")
    let caller = Caller.user(
      UserIdentity(project: "p", uid: "u", claims: MapValue(), expiry: .max, issued: 0)
    )
    let memory = CallerMemory()
    func rules() throws -> ReleasedRuleset? {
      try fixture.access.permit(caller, id, memory: memory).gate?.ruleset
    }
    try fixture.rules.deploy(statements: "match /c/{id} { allow read; }", in: id)
    let first = try rules()
    #expect(try rules() === first)
    #expect(memory.rules(of: caller, in: id) != nil)
    #expect(memory.rules(of: .nobody, in: id) == nil)
    #expect(memory.rules(of: caller, in: DatabaseID(project: "p", database: "other")) == nil)
    try fixture.rules.deploy(statements: "match /c/{id} { allow write; }", in: id)
    #expect(memory.rules(of: caller, in: id) == nil)
    #expect(try rules() !== first)
    try fixture.rules.deleteRelease(.firestore(id))
    #expect(throws: ServiceError.self) { _ = try rules() }
  }
}

/// A history of deployments, revocations, expiring tokens, writes and calls, beside a plain model of them.
private final class RightsHistory {
  enum Outcome: Hashable {
    case unauthenticated, denied, missing, read, written
  }

  private static let databases = [
    DatabaseID(project: "p"), DatabaseID(project: "p", database: "other"), DatabaseID(project: "q"),
  ]
  private static let sources = [
    "match /c/{id} { allow read, write: if request.auth != null && request.auth.uid == resource.data.o; }",
    "match /c/{id} { allow read: if true; allow create: if request.auth.uid == request.resource.data.o; }",
    "match /c/{id} { allow read, write: if request.auth.token.role == 'b'; }",
    "match /{all=**} { function own(u) { return request.auth.uid == u; } allow get: if own(all[1]) || own(id()); "
      + "function id() { let d = resource.data; return d.o; } allow create: if own(request.resource.data.o); }",
    "match /c/{id} { allow read, write: if get(/databases/$(database)/documents/c/u0).data.o == request.auth.uid; }",
    "match /c/{id} { allow write: if id == request.auth.uid; allow get: if id in ['u0', 'u1']; }",
  ]
  private static let ids: [Text] = ["u0", "u1", "u2", "d3", "d4"]

  private let seed: UInt64
  private let fixture: AccessFixture
  private let verifier = HistoryVerifier()
  private let memories = (0..<3).map { _ in CallerMemory() }
  private var rules: [DatabaseID: CompiledRuleset] = [:]
  private var documents: [DatabaseID: [ResourcePath: MapValue]] = [:]
  private var random: SeededSource
  private(set) var seen: [Outcome: Int] = [:]

  init(seed: UInt64) throws {
    self.seed = seed
    random = SeededSource(seed: seed)
    fixture = try AccessFixture(
      .production(key: AdministratorKey("secret")),
      verifier: verifier
    )
    for id in Self.databases {
      try deploy(to: id)
      for name in Self.ids { try write(name, in: id) }
    }
  }

  func close() { fixture.close() }

  func step() throws {
    let database = choose(Self.databases)
    switch Int.random(in: 0..<40, using: &random) {
    case 0: try deploy(to: database)
    case 1: try takeRules(from: database)
    case 2: verifier.end(session: choose(HistoryVerifier.users))
    case 3: verifier.time += Int64.random(in: 0..<3, using: &random)
    case 4..<10: try write(choose(Self.ids), in: database)
    case 10..<16: try checkCreate(in: database)
    default: try checkGet(in: database)
    }
  }

  private func choose<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  private func deploy(to database: DatabaseID) throws {
    let source = choose(Self.sources)
    try fixture.rules.deploy(statements: source, in: database)
    rules[database] = try RulesCompiler.compile(
      SourceText(
        "rules_version = '2'; service cloud.firestore { match /databases/{database}/documents { \(source) } }"
      )
    )
  }

  private func takeRules(from database: DatabaseID) throws {
    guard rules.removeValue(forKey: database) != nil else { return }
    try fixture.rules.deleteRelease(.firestore(database))
  }

  /// An administrator writes or deletes a document.
  private func write(_ id: Text, in database: DatabaseID) throws {
    let path = ResourcePath(["c", id])
    let name = DocumentName(database: database, path: path)
    let permit = try fixture.access.permit(.administrator, database)
    guard Int.random(in: 0..<5, using: &random) > 0 else {
      _ = try commit(CommitProposal(writes: [Write(name: name, operation: .delete)]), permit)
      documents[database, default: [:]][path] = nil
      return
    }
    let fields = owned(by: choose(HistoryVerifier.users))
    let write = Write(name: name, operation: .update(DocumentFields(encoding: fields), mask: nil))
    _ = try commit(CommitProposal(writes: [write]), permit)
    documents[database, default: [:]][path] = fields
  }

  private func owned(by user: Text) -> MapValue {
    MapValue([.init(key: "o", value: .string(user))])
  }

  private func commit(_ proposal: CommitProposal, _ permit: Permit) throws -> CommitOutcome {
    let database = try permit.database()
    let done = DispatchSemaphore(value: 0)
    let outcome = Mutex<Result<CommitOutcome, any Error>?>(nil)
    database.commit(proposal) { result in
      outcome.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    return try #require(outcome.withLock { $0 }).get()
  }

  // MARK: Calls

  private func checkGet(in database: DatabaseID) throws {
    let path = ResourcePath(["c", choose(Self.ids)])
    let token = verifier.token(&random)
    let stored = documents[database]?[path]
    let allowed: Outcome = stored == nil ? .missing : .read
    let expected = decide(token, .get, path, in: database, allowed: allowed)
    try check(expected, token, in: database) { permit in
      guard try permit.get(path, in: permit.database()) != nil else { return .missing }
      return .read
    }
    try check(expected, token, in: database) { permit in
      let opened = try permit.database()
      if stored == nil { return expected }
      return try permit.getInMemory(path, in: opened) == nil ? expected : .read
    }
  }

  private func checkCreate(in database: DatabaseID) throws {
    let path = ResourcePath(["c", choose([Text("n"), "u1"])])
    let name = DocumentName(database: database, path: path)
    _ = try commit(
      CommitProposal(writes: [Write(name: name, operation: .delete)]),
      fixture.access.permit(.administrator, database)
    )
    documents[database, default: [:]][path] = nil
    let token = verifier.token(&random)
    let fields = owned(by: choose(HistoryVerifier.users))
    let expected = decide(token, .create, path, fields, in: database, allowed: .written)
    let write = Write(name: name, operation: .update(DocumentFields(encoding: fields), mask: nil))
    try check(expected, token, in: database) { [self] permit in
      _ = try commit(CommitProposal(writes: [write], judge: permit.judgeOfWrites), permit)
      documents[database, default: [:]][path] = fields
      return .written
    }
  }

  /// Makes a call on a connection that remembers.
  private func check(
    _ expected: Outcome,
    _ token: HistoryVerifier.Token?,
    in database: DatabaseID,
    _ call: (Permit) throws -> Outcome
  ) throws {
    let memory = choose(memories)
    let context = CallContext(
      requestID: "1",
      authorization: token.map { "Bearer \($0.text)" },
      isSecure: true,
      memory: memory
    )
    var outcome: Outcome
    do {
      let caller = try fixture.access.identify(context)
      try fixture.access.admit(caller)
      outcome = try call(fixture.access.permit(caller, database, memory: memory))
    } catch let error as ServiceError {
      outcome = error.code == .unauthenticated ? .unauthenticated : .denied
    }
    #expect(outcome == expected, "seed \(seed)")
    seen[expected, default: 0] += 1
  }

  /// The decision of the evaluator alone.
  private func decide(
    _ token: HistoryVerifier.Token?,
    _ method: RulesMethod,
    _ path: ResourcePath,
    _ fields: MapValue? = nil,
    in database: DatabaseID,
    allowed: Outcome
  ) -> Outcome {
    if let token, !verifier.isGood(token) { return .unauthenticated }
    guard token.map({ $0.project == database.project }) ?? true, let ruleset = rules[database]
    else { return .denied }
    let shown = ShownDocuments(database: database, documents: documents[database] ?? [:])
    let request = RulesRequest(
      method: method,
      path: shown.full(path),
      auth: token.map { RulesAuth(uid: $0.uid, token: RulesMap($0.claims)) },
      time: Timestamp(microseconds: 0),
      resource: shown.document(at: path).map { RulesMap($0) },
      newResource: fields.map {
        RulesMap(RulesDocument(path: shown.full(path), data: RulesMap($0)))
      }
    )
    let session = RulesSession(
      ruleset: ruleset,
      database: database.database,
      dataSource: shown,
      digests: SystemDigests()
    )
    return (try? session.evaluate(request).isAllowed) == true ? allowed : .denied
  }
}

/// The documents of a database as they are in the model.
private struct ShownDocuments: RulesDataSource {
  let database: DatabaseID
  let documents: [ResourcePath: MapValue]

  func full(_ path: ResourcePath) -> [Text] {
    ["databases", database.database, "documents"] + path.segments
  }

  func document(at path: ResourcePath) -> RulesDocument? {
    documents[path].map { RulesDocument(path: full(path), data: RulesMap($0)) }
  }

  func documentAfter(at path: ResourcePath) -> RulesDocument? { document(at: path) }
}

/// Tokens that end with their session, or by the clock, as those of accounts do.
private final class HistoryVerifier: TokenVerifier {
  struct Token: Sendable {
    let project: Text
    let uid: Text
    let role: Text
    let session: Int64
    let expiry: Int64

    var text: String {
      [project.string, uid.string, role.string, "\(session)", "\(expiry)"].joined(separator: ".")
    }
    var claims: MapValue {
      MapValue([.init(key: "role", value: .string(role)), .init(key: "sub", value: .string(uid))])
    }
  }

  private struct State {
    var time: Int64 = 1_000
    var sessions: [Text: Int64] = [:]
    var tokens: [Token] = []
  }

  static let users: [Text] = ["u0", "u1", "u2"]

  private let state = Mutex(State())

  var time: Int64 {
    get { state.withLock { $0.time } }
    set { state.withLock { $0.time = newValue } }
  }

  /// Ends a user's tokens.
  func end(session user: Text) { state.withLock { $0.sessions[user, default: 1] += 1 } }

  /// A token of the last ones, a new one, or none.
  func token(_ random: inout SeededSource) -> Token? {
    let choice = Int.random(in: 0..<8, using: &random)
    guard choice > 0 else { return nil }
    let uid = Self.users[Int.random(in: 0..<3, using: &random)]
    let index = Int.random(in: 0..<6, using: &random)
    let role: Text = Bool.random(using: &random) ? "a" : "b"
    let isForeign = Int.random(in: 0..<6, using: &random) == 0
    return state.withLock { state in
      if choice > 1, index < state.tokens.count { return state.tokens[index] }
      let token = Token(
        project: isForeign ? "q" : "p",
        uid: uid,
        role: role,
        session: state.sessions[uid] ?? 1,
        expiry: state.time + 5
      )
      state.tokens.insert(token, at: 0)
      state.tokens = Array(state.tokens.prefix(6))
      return token
    }
  }

  func isGood(_ token: Token) -> Bool {
    state.withLock { $0.time < token.expiry && ($0.sessions[token.uid] ?? 1) == token.session }
  }

  private func token(_ text: Substring) -> Token? {
    state.withLock { $0.tokens.first { $0.text == text } }
  }

  func caller(holding token: Substring, isSecure: Bool) throws(ServiceError) -> Caller {
    guard let known = self.token(token), isGood(known) else {
      throw AccessControl.invalidCredentials
    }
    return .user(
      UserIdentity(
        project: known.project,
        uid: known.uid,
        claims: known.claims,
        expiry: known.expiry,
        issued: 0,
        session: known.session
      )
    )
  }

  func knownCaller(holding token: Substring, isSecure: Bool) throws(ServiceError) -> Caller? { nil }

  func isGenuine(_ token: Substring) -> Bool { self.token(token) != nil }

  func isValid(_ identity: UserIdentity) -> Bool {
    state.withLock { state in
      state.time < identity.expiry && (state.sessions[identity.uid] ?? 1) == identity.session
    }
  }

  func onRevocation(_ observer: @escaping @Sendable (Text, Text) -> Void) {}
}
