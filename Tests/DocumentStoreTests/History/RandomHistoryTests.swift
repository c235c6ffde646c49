import BaseStatus
import BaseText
import DocumentCodec
import FirestoreModel
import ModelTestSupport
import Testing

@testable import DocumentStore

@Suite struct RandomHistoryTests {
  static let cases: [(TestEngineKind, UInt64)] = TestEngineKind.allCases.flatMap { kind in
    (1...4).map { (kind, UInt64($0)) }
  }

  /// Commits, transactions, deletes, past reads, sweeps and restarts against the plain model.
  @Test(arguments: cases)
  func `a random history reads as the plain model says, at every version and after restarts`(
    _ kind: TestEngineKind,
    _ seed: UInt64
  ) async throws {
    print("random history on \(kind.rawValue), seed \(seed)")
    var history = try RandomHistory(kind, seed: seed)
    for _ in 0..<1_500 { try await history.step() }
    try history.checkEverything()
    try history.close()
  }
}

/// One random history; what it expects is in `model`.
private struct RandomHistory {
  private struct Attempt {
    let id: TransactionID
    let version: CommitVersion
    var reads: [ResourcePath: CommitVersion]
  }

  private let storage: TestStorage
  private var fixture: StoreFixture
  private var database: Database
  private var random: SeededSource
  private var model = ModelStore()
  private var versions: [CommitVersion] = []
  private var attempts: [Attempt] = []

  private static let paths: [ResourcePath] = (0..<6).flatMap { number -> [ResourcePath] in
    let id = Text("d\(number)")
    return [
      ResourcePath(["a", id]),
      ResourcePath(["b", id]),
      ResourcePath(["a", id, "b", "x"]),
      ResourcePath(["missing", id, "a", Text("__id\(number)__")]),
    ]
  }

  init(_ kind: TestEngineKind, seed: UInt64) throws {
    storage = TestStorage(kind)
    fixture = try StoreFixture(storage)
    database = try fixture.database
    random = SeededSource(seed: seed)
  }

  mutating func step() async throws {
    fixture.storage.clock.advance(by: .random(in: 0...20_000_000, using: &random))
    switch Int.random(in: 0..<100, using: &random) {
    case ..<50: try await commit()
    case ..<65: try await begin()
    case ..<80: try await finishAttempt()
    case ..<95: try checkSomeReads()
    case ..<98: try fixture.maintain()
    default: try await restart()
    }
  }

  mutating func checkEverything() throws {
    for path in Self.paths { try check(path, at: nil) }
    for version in versions.suffix(200) {
      for path in Self.paths { try check(path, at: version) }
    }
    try verify()
  }

  func close() throws { try fixture.close() }

  private mutating func commit() async throws {
    let writes = randomWrites()
    let (code, result) = model.preview(writes)
    do {
      let outcome = try await database.commit(CommitProposal(writes: writes))
      #expect(code == nil)
      apply(writes, result, outcome)
    } catch let error as ServiceError {
      #expect(error.code == code)
    }
  }

  private mutating func apply(
    _ writes: [Write],
    _ result: [ResourcePath: MapValue?],
    _ outcome: CommitOutcome
  ) {
    #expect(versions.last.map { $0 < outcome.version } ?? true)
    versions.append(outcome.version)
    let deleted = Set(writes.filter { $0.operation == .delete }.map(\.name.path))
    model.apply(result, deleted: deleted, at: outcome.version)
  }

  /// Reads some documents in an optimistic transaction, which `finishAttempt` ends.
  private mutating func begin() async throws {
    guard attempts.count < 5 else { return }
    let id = try database.beginTransaction(.readWrite(mode: .optimistic))
    let paths = Self.paths.shuffled(using: &random).prefix(3)
    let result = try await database.batchGet(Array(paths), .transaction(id))
    var reads: [ResourcePath: CommitVersion] = [:]
    for item in result.items {
      let expected = model.at(item.path, result.readTime)
      #expect(item.record?.updateTime == expected?.at)
      #expect(item.record?.fields.decoded() == expected?.fields)
      reads[item.path] = item.record?.updateTime ?? .zero
    }
    attempts.append(Attempt(id: id, version: result.readTime, reads: reads))
  }

  private mutating func finishAttempt() async throws {
    guard let index = attempts.indices.randomElement(using: &random) else { return }
    let attempt = attempts.remove(at: index)
    if Int.random(in: 0..<5, using: &random) == 0 {
      do { try database.rollback(attempt.id) } catch let error as ServiceError {
        #expect(Self.isOver(error))
      }
      return
    }
    let writes = randomWrites()
    let isStale = attempt.reads.contains { path, seen in
      (model.current(path)?.at ?? .zero) != seen
    }
    let (code, result) = model.preview(writes)
    // A fault of the request comes before anything that is stored.
    let refusal = isStale && !ModelStore.contradicts(writes) ? .aborted : code
    do {
      let request = CommitProposal(writes: writes, transaction: attempt.id)
      let outcome = try await database.commit(request)
      #expect(!isStale && code == nil)
      apply(writes, result, outcome)
    } catch let error as ServiceError {
      #expect(Self.isOver(error) || error.code == refusal)
    }
  }

  /// Sixty seconds without a call end a transaction; five minutes later it is forgotten.
  private static func isOver(_ error: ServiceError) -> Bool {
    error.message.contains("has expired") || error.message == "Invalid transaction."
  }

  private mutating func checkSomeReads() throws {
    guard let path = Self.paths.randomElement(using: &random) else { return }
    try check(path, at: nil)
    if let version = versions.randomElement(using: &random) { try check(path, at: version) }
    if let version = versions.suffix(20).randomElement(using: &random) {
      let between = CommitVersion(microseconds: version.microseconds - 1)
      try check(path, at: between)
    }
  }

  private func check(_ path: ResourcePath, at version: CommitVersion?) throws {
    let expected = version.map { model.at(path, $0) } ?? model.current(path)
    let record: DocumentRecord?
    do {
      record = try database.get(path, at: version.map { .at($0) } ?? .now)
    } catch let error as ServiceError where error.message.contains("too old") {
      let oldest = try database.readTime().microseconds - 3_600_000_000
      #expect((version ?? .zero).microseconds < oldest + 1)
      return
    }
    #expect(record?.fields.decoded() == expected?.fields, "\(path.string) at \(version as Any)")
    #expect(record?.updateTime == expected?.at)
    #expect(record?.createTime == expected?.created)
  }

  private mutating func restart() async throws {
    try verify()
    try fixture.close()
    attempts = []
    fixture = try StoreFixture(storage)
    database = try fixture.database
  }

  private func verify() throws {
    let summary = try database.verify { Issue.record("\($0)") }
    #expect(summary.differences == 0)
    #expect(summary.documents == model.paths.filter { model.current($0) != nil }.count)
  }

  private mutating func randomWrites() -> [Write] {
    (0..<Int.random(in: 1...4, using: &random)).map { _ in randomWrite() }
  }

  private mutating func randomWrite() -> Write {
    let path = Self.paths.randomElement(using: &random) ?? "a/d0"
    let precondition = randomPrecondition(path)
    switch Int.random(in: 0..<10, using: &random) {
    case 0...1: return delete(path, if: precondition)
    case 2...4: return set(path, randomFields(), mask: ["n", "m.x", "l"], if: precondition)
    default: return set(path, randomFields(), if: precondition)
    }
  }

  private mutating func randomPrecondition(_ path: ResourcePath) -> Precondition? {
    switch Int.random(in: 0..<12, using: &random) {
    case 0: .exists(true)
    case 1: .exists(false)
    case 2: .updateTime(model.current(path)?.at ?? CommitVersion(microseconds: 1))
    case 3: versions.randomElement(using: &random).map { .updateTime($0) }
    default: nil
    }
  }

  private mutating func randomFields() -> MapValue {
    let number = Int64.random(in: 0...3, using: &random)
    let n: Value = Bool.random(using: &random) ? .integer(number) : .double(Double(number))
    let list = (0..<number).map { Value.string(Text("e\($0 % 2)")) }
    return map([
      "n": n,
      "s": .string(Text("s\(Int.random(in: 0...2, using: &random))")),
      "m": .map(map(["x": .integer(number), "y": .null])),
      "l": .array(list),
    ])
  }
}
