import BaseRuntime
import BaseStatus
import DocumentCodec
import DocumentStore
import FirestoreModel
import KeyValueStore
import Synchronization

@testable import Events

/// A clock that tests move.
final class TestTime: Sendable {
  private let value = Atomic<Int64>(1_795_000_000_000_000)

  var clock: MicrosecondClock {
    MicrosecondClock { [self] in value.load(ordering: .sequentiallyConsistent) }
  }

  func advance(seconds: Int64) {
    value.add(seconds * 1_000_000, ordering: .sequentiallyConsistent)
  }
}

/// A target that keeps what it gets and decides by a closure.
final class TestTarget: FunctionTarget {
  typealias Decide = @Sendable (FunctionDelivery, _ number: Int) async -> DeliveryOutcome

  typealias Condition = @Sendable ([(FunctionDelivery, DeliveryOutcome)]) -> Bool

  private struct State {
    var deliveries: [(FunctionDelivery, DeliveryOutcome)] = []
    var running: [String: Int] = [:]
    var mostAtOnce = 0
    var waiting: [(Condition, CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())
  private let decide: Decide

  init(_ decide: @escaping Decide = { _, _ in .delivered }) { self.decide = decide }

  var deliveries: [(FunctionDelivery, DeliveryOutcome)] { state.withLock { $0.deliveries } }

  var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }

  func deliver(_ delivery: FunctionDelivery) async -> DeliveryOutcome {
    let number = state.withLock { state in
      state.running[delivery.eventID, default: 0] += 1
      state.mostAtOnce = max(state.mostAtOnce, state.running.count)
      return state.deliveries.count
    }
    let outcome = await decide(delivery, number)
    let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.running[delivery.eventID] = nil
      state.deliveries.append((delivery, outcome))
      let met = state.waiting.filter { $0.0(state.deliveries) }.map(\.1)
      let deliveries = state.deliveries
      state.waiting.removeAll { $0.0(deliveries) }
      return met
    }
    for continuation in ready { continuation.resume() }
    return outcome
  }

  /// Returns when the deliveries meet a condition.
  func wait(until condition: @escaping Condition) async {
    await withCheckedContinuation { continuation in
      let isMet = state.withLock { state in
        if condition(state.deliveries) { return true }
        state.waiting.append((condition, continuation))
        return false
      }
      if isMet { continuation.resume() }
    }
  }

  func wait(for count: Int) async {
    await wait { $0.count { $0.1 == .delivered } >= count }
  }
}

/// Gives events a form of which tests read the facts.
struct PlainForm: EventEncoding {
  func request(for attempt: EventAttempt) throws -> EventRequest {
    let event = attempt.event
    let value = event.new.flatMap { try? StoredDocument(value: $0) }?.fields.decoded()["n"]
    var text = event.subject
    if case .integer(let number)? = value { text += "=\(number)" }
    if let change = event.change { text += " \(change)" }
    return EventRequest(signature: .cloudEvent, headers: [], body: Array(text.utf8))
  }
}

struct NoPosting: EventPosting {
  func check(_ url: String) throws {}

  func post(
    _ request: EventRequest,
    to url: String,
    project: String,
    timeoutSeconds: Int
  ) async -> DeliveryOutcome {
    .failed(status: nil, reason: "nothing is posted here")
  }
}

extension FunctionDelivery {
  var text: String { String(decoding: body, as: UTF8.self) }
}

/// A bus over an engine in memory, beside databases whose commits it follows.
final class TestBus: Sendable {
  let time: TestTime
  let engine: MemoryEngine
  let tap = EventTap()
  let databases: Databases
  let bus: EventBus
  let threads = EngineThreads(count: 2)
  let database: Database

  static let codebase = CodebaseName(project: "p", codebase: "default")

  init(
    storage: MemoryStorage = MemoryStorage(),
    time: TestTime = TestTime(),
    target: (any FunctionTarget)?
  ) throws {
    self.time = time
    engine = MemoryEngine(storage: storage, clock: time.clock)
    var configuration = StoreConfiguration()
    configuration.autoCreateDatabases = true
    configuration.commitFollower = tap
    configuration.maintainsItself = false
    databases = try Databases(engine: engine, configuration: configuration)
    var settings = EventBus.Configuration(encoding: PlainForm(), posting: NoPosting())
    settings.clock = time.clock
    settings.jitter = { 0 }
    bus = try EventBus(engine: engine, tap: tap, threads: threads, configuration: settings)
    if let target { bus.attach(target) }
    database = try databases.database(DatabaseID(project: "p"))
  }

  /// Runs a test beside the delivery.
  func run(_ test: (TestBus) async throws -> Void) async throws {
    let delivery = Task { [bus] in await bus.run() }
    do {
      try await test(self)
    } catch {
      delivery.cancel()
      bus.wake()
      throw error
    }
    delivery.cancel()
    bus.wake()
    await delivery.value
  }

  func close() throws {
    databases.close()
    try engine.close()
    threads.stop()
  }

  static func written(
    _ pattern: String,
    function: String = "f",
    retries: Bool = false,
    type: String = "google.cloud.firestore.document.v1.written"
  ) -> CodebaseDeclaration {
    var declaration = CodebaseDeclaration()
    var declared = TriggerDeclaration(function: function, eventType: type)
    declared.pathPatterns["document"] = pattern
    declared.retries = retries
    declaration.triggers = [declared]
    return declaration
  }

  func deploy(_ declaration: CodebaseDeclaration) throws -> TriggerChanges {
    try bus.replaceTriggers(of: Self.codebase, with: declaration) { _ in }
  }

  /// Writes a document, or deletes it where the number is nil.
  func write(_ path: String, _ number: Int64?, depth: Int = 0) async throws {
    let name = DocumentName(database: database.id, path: PathPatternTests.path(path))
    let operation: Write.Operation
    if let number {
      let fields = MapValue([MapValue.Entry(key: "n", value: .integer(number))])
      operation = .update(DocumentFields(encoding: fields), mask: nil)
    } else {
      operation = .delete
    }
    let proposal = CommitProposal(
      writes: [Write(name: name, operation: operation)],
      author: CommitAuthor(.system, depth: depth)
    )
    try await withCheckedThrowingContinuation { continuation in
      database.commit(proposal) { continuation.resume(with: $0.map { _ in }) }
    }
  }

  /// Moves the clock to the next attempt of an event that waits for a time.
  func advanceToNextAttempt() {
    let now = time.clock.now()
    let waiting = (try? bus.list(project: "p", isDead: false, limit: 1_000)) ?? []
    guard let next = waiting.map(\.time).filter({ $0 > now }).min() else { return }
    time.advance(seconds: (next - now) / 1_000_000 + 1)
    bus.wake()
  }

  /// The keys of triggers' events that are left in the store.
  func keysLeft() throws -> Int {
    try engine.read { reader in
      let kinds: [EventKey.Kind] = [.event, .pending, .order, .due, .dead, .deadSince, .erased]
      return try kinds.reduce(0) { sum, kind in
        let cursor = try reader.cursor(over: EventKey(kind).range, reversed: false)
        var count = sum
        while try cursor.next() { count += 1 }
        return count
      }
    }
  }
}
