import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel
import Foundation
import KeyValueRocksDB
import ModelTestSupport
import Testing

@testable import Realtime

/// Random writes, queries, reconnections and slow readers: at every consistency point each current
/// target shows what a fresh query at that version gives.
@Suite struct OracleTests {
  /// One that failed once and new ones each time; `BRASA_SEED` plays one again.
  static let seeds: [UInt64] =
    ProcessInfo.processInfo.environment["BRASA_SEED"].flatMap(UInt64.init).map { [$0] }
    ?? [10_796_199_168_299_892_862] + (0..<11).map { _ in UInt64.random(in: .min ... .max) }

  @Test(arguments: seeds)
  func `listeners in memory show what a fresh query shows`(_ seed: UInt64) async throws {
    let fixture = try HubFixture(configure: {
      $0.backlogBytes = 6_000
      // Targets open in parts, between which more happens, and one after the other.
      if seed % 2 == 0 { $0.partBytes = 1 }
      if seed % 3 == 0 { $0.concurrentReads = 1 }
      if seed % 4 < 2 { $0.sliceSteps = 3 }
    })
    try await OracleRun(fixture, seed: seed).play(rounds: 80)
    try fixture.close()
  }

  @Test(arguments: seeds.prefix(3))
  func `listeners on disk show what a fresh query shows`(_ seed: UInt64) async throws {
    let scratch = Scratch()
    let engine = try RocksDBEngine(directory: scratch.path + "/db")
    let fixture = try HubFixture(engine: engine, configure: { $0.backlogBytes = 6_000 })
    try await OracleRun(fixture, seed: seed).play(rounds: 60)
    try fixture.close()
  }
}

/// One random history.
private final class OracleRun {
  private final class Listener {
    var client: TestClient
    var targets: [Int32: Query] = [:]
    /// Targets that went on from a token while the client held parts of later snapshots.
    var mixed: Set<Int32> = []
    var nextID: Int32 = 1

    init(_ client: TestClient) { self.client = client }
  }

  private let fixture: HubFixture
  private let seed: UInt64
  private var random: RandomValues
  private var listeners: [Listener] = []
  private let authority: any ListenJudge

  init(_ fixture: HubFixture, seed: UInt64) {
    self.fixture = fixture
    self.seed = seed
    random = RandomValues(seed: seed)
    authority = seed % 5 < 3 ? OpenAuthority() : ForgetfulAuthority(fixture.time)
  }

  func play(rounds: Int) async throws {
    for _ in 0..<4 { listeners.append(Listener(fixture.client(authority: authority))) }
    for round in 0..<rounds {
      for _ in 0..<random.int(0..<4) { try await write() }
      if random.int(0..<12) == 0 { try await drain() }
      for _ in 0..<random.int(0..<3) { act(pick(listeners)) }
      // Sometimes the hub gets only so far before more happens.
      if random.int(0..<3) == 0 {
        _ = fixture.hub.step()
        try await write()
      } else {
        fixture.settle()
      }
      try check(round)
    }
    for listener in listeners { read(listener) }
    fixture.settle()
    try check(rounds)
    fixture.settle()
    for listener in listeners {
      let open = listener.client.state.current
      #expect(open == Set(listener.targets.keys), "seed \(seed): every target gets current")
    }
    try check(rounds)
    for listener in listeners { listener.client.stream.close() }
    fixture.settle()
    for (name, size) in fixture.hub.statistics() where !name.hasSuffix("_total") {
      #expect(size == 0, "seed \(seed): \(name) after everybody left")
    }
  }

  // MARK: What happens

  private func write() async throws {
    var writes: [Write] = []
    for _ in 0..<random.int(1..<4) {
      let path = path()
      let isLater = writes.contains { $0.name.path == path }
      if isLater { continue }
      writes.append(random.int(0..<4) == 0 ? delete(path) : set(path, fields()))
    }
    try await fixture.commit(writes)
  }

  /// Windows run short: most of a collection goes at once, or comes.
  private func drain() async throws {
    let comes = random.bool()
    let ids = (0..<24).filter { _ in random.int(0..<4) > 0 }
    let paths = ids.map { ResourcePath(["a", Text("d\($0)")]) }
    try await fixture.commit(paths.map { comes ? set($0, fields()) : delete($0) })
  }

  private func act(_ listener: Listener) {
    switch random.int(0..<11) {
    case 0..<4: listen(listener)
    case 10: fixture.hub.decideAgain()
    case 4:
      guard let id = listener.targets.keys.sorted().first else { return }
      listener.client.stream.remove(id)
      listener.targets[id] = nil
    case 5: listener.client.change { $0.budget = 1 }
    case 6, 7: read(listener)
    default: reconnect(listener)
    }
  }

  private func read(_ listener: Listener) {
    listener.client.change { $0.budget = .max }
    listener.client.stream.resume()
  }

  private func listen(_ listener: Listener) {
    guard listener.targets.count < 5 else { return }
    let query = query()
    listener.targets[listener.nextID] = query
    listener.client.listen(query, listener.nextID)
    listener.nextID += 1
  }

  /// Comes back with what it held at the last consistency point, and the tokens of then.
  ///
  /// Sometimes it holds more than there was: what a cache may have kept by mistake.
  private func reconnect(_ listener: Listener) {
    let old = listener.client
    // Only what a consistency point has confirmed may be kept with its token.
    let held = snapshots[ObjectIdentifier(old)]
    old.stream.close()
    listener.client = fixture.client(authority: authority)
    listener.client.change { $0.lastPoint = held?.lastPoint ?? .zero }
    listener.mixed = []
    for (id, query) in listener.targets {
      guard let held, var documents = held.targets[id], let token = held.tokens[id] else {
        listener.client.listen(query, id)
        continue
      }
      let version = ResumeToken(bytes: token)?.version
      let isWhole = held.current.contains(id) && version == held.lastPoint
      if !isWhole { listener.mixed.insert(id) }
      let hasGhost = isWhole && random.int(0..<4) == 0
      if hasGhost { documents.insert("a/ghost") }
      listener.client.change { state in
        state.targets[id] = documents
        state.tokens[id] = token
        state.kept[id] = documents
        for path in documents { state.documents[path] = held.documents[path] }
      }
      let usesReadTime = isWhole && random.int(0..<3) == 0
      listener.client.listen(
        query,
        id,
        from: usesReadTime ? .readTime(held.lastPoint) : .token(token),
        expecting: hasGhost || !isWhole || random.bool() ? documents.count : nil
      )
    }
    snapshots[ObjectIdentifier(old)] = nil
  }

  // MARK: What must be true

  /// The clients' states at their last consistency points.
  private var snapshots: [ObjectIdentifier: TestClient.State] = [:]

  private func check(_ round: Int) throws {
    let database = try fixture.databases.database(HubFixture.id)
    for listener in listeners {
      followFilters(listener, round)
      let state = listener.client.state
      #expect(!state.wentBack, "seed \(seed), round \(round)")
      #expect(state.error == nil, "seed \(seed), round \(round)")
      guard [".", ":"].contains(state.frames.last), state.lastPoint > .zero else { continue }
      snapshots[ObjectIdentifier(listener.client)] = state
      for (id, query) in listener.targets where state.current.contains(id) {
        let expected = try fresh(query, database, at: state.lastPoint)
        let shown = listener.client.contents(id)
        #expect(shown == expected, "seed \(seed), round \(round), \(query)")
        if shown != expected { throw OracleFailure(seed: seed) }
      }
    }
  }

  /// Begins targets anew that hold another number of documents than the server counts, as official
  /// clients do.
  ///
  /// That may only be needed where a client had parts of a later snapshot than its token's.
  private func followFilters(_ listener: Listener, _ round: Int) {
    for id in listener.client.state.mismatches {
      #expect(listener.mixed.contains(id), "seed \(seed), round \(round): filter of \(id)")
      listener.client.change {
        $0.mismatches = []
        $0.current.remove(id)
        $0.tokens[id] = nil
      }
      guard let query = listener.targets[id] else { continue }
      listener.client.stream.remove(id)
      listener.client.listen(query, id)
    }
  }

  private func fresh(
    _ query: Query,
    _ database: Database,
    at version: CommitVersion
  ) throws -> [ResourcePath: MapValue] {
    let cursor = try database.query(query, consistency: .at(version))
    var result: [ResourcePath: MapValue] = [:]
    var isDone = false
    while !isDone {
      let chunk = try cursor.next()
      for record in chunk.documents { result[record.name.path] = record.fields.decoded() }
      isDone = chunk.isDone
    }
    return result
  }

  // MARK: Random things

  private func pick<Element>(_ list: [Element]) -> Element { list[random.int(0..<list.count)] }

  private func path() -> ResourcePath {
    let id = Text("d\(random.int(0..<12))")
    return pick([
      ResourcePath(["a", id]), ResourcePath(["a", id]), ResourcePath(["b", id]),
      ResourcePath(["b", "d1", "a", id]),
    ])
  }

  private func value() -> Value {
    pick([
      .integer(Int64(random.int(0..<4))), .integer(Int64(random.int(0..<4))), .double(1), .null,
      .double(.nan), .string("s"), .boolean(true), .array([.integer(1), .string("t")]),
    ])
  }

  private func fields() -> MapValue {
    var entries: [MapValue.Entry] = []
    for field in ["n", "m", "o"] where random.int(0..<4) > 0 {
      entries.append(MapValue.Entry(key: Text(field), value: value()))
    }
    return MapValue(entries)
  }

  private func query() -> Query {
    var query = Query(scope: pick([.collection("a"), .collection("a"), .collectionGroup("a")]))
    if random.int(0..<8) == 0 { query.parent = ResourcePath(["b", "d1"]) }
    if random.int(0..<12) == 0 {
      query.scope = pick([.descendants, .children])
      return query
    }
    if random.int(0..<3) > 0 { query.filter = filter() }
    if random.bool() {
      let direction: Order.Direction = random.bool() ? .ascending : .descending
      query.orders = [Order(pick(["n", "m"]), direction)]
    }
    if random.bool() { query.limit = random.int(1..<5) }
    if random.int(0..<6) == 0 { query.offset = random.int(1..<3) }
    return query
  }

  private func filter() -> Filter {
    let field: FieldPath = pick(["n", "m", "o"])
    switch random.int(0..<7) {
    case 0, 1, 2: return .field(field, .equal, .integer(Int64(random.int(0..<3))))
    case 3: return .field(field, .in, .array([.integer(1), .string("s"), .boolean(true)]))
    case 4: return .field(field, .arrayContains, .integer(1))
    case 5: return .or([.field("n", .equal, .integer(2)), .unary("m", .isNull)])
    default:
      return .and([
        .field("n", .equal, .integer(1)), .field("m", .equal, .integer(Int64(random.int(0..<3)))),
      ])
    }
  }
}

/// Lets everybody listen, but must be asked again, which takes so long that others have their turn.
private final class ForgetfulAuthority: ListenJudge {
  private let time: ManualTime

  init(_ time: ManualTime) { self.time = time }

  func decide(
    _ subject: ViewSubject,
    in database: Database,
    at version: CommitVersion
  ) throws(ServiceError) -> ListenDecision {
    time.advance(6_000)
    return ListenDecision(dependsOnRules: true, documents: ["a/d1", "b/d1"])
  }

  func checkCredentials() throws(ServiceError) {}
}

/// Stops a history at its first failure.
private struct OracleFailure: Error { let seed: UInt64 }
