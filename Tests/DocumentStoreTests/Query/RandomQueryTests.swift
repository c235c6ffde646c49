import BaseStatus
import FirestoreModel
import KeyValueStore
import Testing

@testable import DocumentStore

@Suite struct RandomQueryTests {
  @Test(arguments: QueryFixture.Engine.allCases, [1, 2, 3, 4, 5, 6] as [UInt64])
  func `random queries agree with the naive evaluator`(
    engine: QueryFixture.Engine,
    seed: UInt64
  ) throws {
    let run = try RandomQueryRun(engine, seed: seed, requireIndexes: false)
    try run.run(rounds: engine == .memory ? 60 : 15)
  }

  @Test(arguments: QueryFixture.Engine.allCases, [11, 12, 13, 14, 15, 16] as [UInt64])
  func `the index that an error names serves the query`(
    engine: QueryFixture.Engine,
    seed: UInt64
  ) throws {
    let run = try RandomQueryRun(engine, seed: seed, requireIndexes: true)
    try run.run(rounds: engine == .memory ? 20 : 8)
  }

  @Test(arguments: QueryFixture.Engine.allCases, [21, 22, 23, 24] as [UInt64])
  func `queries stay right while indexes come and go`(
    engine: QueryFixture.Engine,
    seed: UInt64
  ) throws {
    let run = try RandomQueryRun(engine, seed: seed, requireIndexes: false)
    run.changesIndexes = true
    try run.run(rounds: engine == .memory ? 80 : 20)
  }
}

/// A random history with random queries in between, in pulls of random sizes with writes between
/// the pulls, now and at past versions.
final class RandomQueryRun {
  private let fixture: QueryFixture
  private var random: RandomSource
  private let seed: UInt64
  private let requireIndexes: Bool
  /// True if index definitions change, and are built step by step, in between.
  var changesIndexes = false
  private var answered = 0
  private var refused = 0
  private var declared = 0

  init(_ engine: QueryFixture.Engine, seed: UInt64, requireIndexes: Bool) throws {
    fixture = try QueryFixture(engine, requireIndexes: requireIndexes)
    random = RandomSource(seed: seed)
    self.seed = seed
    self.requireIndexes = requireIndexes
  }

  func run(rounds: Int) throws {
    for round in 0..<rounds {
      for _ in 0..<5 { try write() }
      for _ in 0..<12 { try ask(round) }
    }
    #expect(answered > rounds * 4, "seed \(seed): \(answered) answered, \(refused) refused")
    if requireIndexes { #expect(declared > 3) }
    while try fixture.database.performIndexMaintenance() {}
    try fixture.verifyIndexes("seed \(seed)")
  }

  private func write() throws {
    var changes: [ResourcePath: MapValue?] = [:]
    for _ in 0...random.below(3) {
      changes[random.documentPath()] = .some(random.chance(75) ? random.document() : nil)
    }
    var writes = changes.map { ($0.key, $0.value) }
    // Some documents are deleted and made again in one commit.
    for change in changes where change.value != nil && random.chance(20) {
      writes.insert((change.key, nil), at: 0)
    }
    try fixture.write(writes)
    if changesIndexes { try changeIndexes() }
  }

  private func ask(_ round: Int) throws {
    let query = random.query()
    guard let normalized = try? query.normalized() else {
      refused += 1
      return
    }
    if requireIndexes {
      guard try provideIndexes(for: normalized) else { return }
    } else if changesIndexes, random.chance(20) {
      _ = try? provide(plan(normalized).missingIndex)
    }
    var version: CommitVersion?
    if !requireIndexes, random.chance(30) {
      let past = random.pick(fixture.history.map(\.version))
      if past > .zero { version = past }
    }
    try compare(query, version, round)
  }

  private func compare(_ query: Query, _ version: CommitVersion?, _ round: Int) throws {
    let size = 1 + random.below(4)
    let result = try fixture.run(
      query,
      at: version,
      chunk: { size },
      between: { if random.chance(40) { try write() } }
    )
    let documents = fixture.documents(at: result.readTime)
    let expected = NaiveEvaluator(query: query, database: fixture.id).results(of: documents)
    let found = result.records.map(\.name.path)
    answered += 1
    if found != expected {
      let plan = try result.cursor.plan()
      Issue.record(
        """
        seed \(seed) round \(round)
        \(query)
        \(plan)
        found    \(found.map(\.string))
        expected \(expected.map(\.string))
        """
      )
    }
    for record in result.records {
      #expect(documents[record.name.path] == record.fields.decoded())
    }
  }

  // Indexes.

  private func plan(_ query: NormalizedQuery) throws -> QueryPlan {
    let version = CommitVersion(microseconds: .max)
    return Planner(indexes: fixture.database.indexes.current, query: query, version: version).plan()
  }

  /// Declares what the errors name until the query is served; false where some cannot be declared.
  private func provideIndexes(for query: NormalizedQuery) throws -> Bool {
    for _ in 0..<40 {
      guard let missing = try plan(query).missingIndex else { return true }
      let refusal = #expect(throws: ServiceError.self) {
        try fixture.database.query(query).next()
      }
      #expect(refusal?.code == .failedPrecondition)
      #expect(refusal?.message == missing.message(in: fixture.id))
      do {
        guard try provide(missing) else { return false }
      } catch {
        Issue.record("seed \(seed): \(error) of \(missing)\n\(query.disjuncts)\n\(query.orders)")
        return false
      }
      while try fixture.database.performIndexMaintenance() {}
    }
    Issue.record("seed \(seed): declared all that was named, and the query is not served: \(query)")
    return false
  }

  private func provide(_ missing: MissingIndex?) throws -> Bool {
    switch missing?.kind {
    case nil: return false
    case .composite(let definition):
      try fixture.database.declareIndex(try varied(definition))
      declared += 1
    case .singleField(let collectionID, let field, let index):
      if field.isDocumentName { return false }
      let set = fixture.database.indexes.current
      let known = set.rules(for: collectionID).override(for: field)?.indexes
      let indexes = (known ?? SingleFieldIndex.defaults).union([index])
      try fixture.database.overrideField(field, of: collectionID, indexes: indexes)
      declared += 1
    }
    return true
  }

  /// The definition with any density that it may have.
  private func varied(_ definition: IndexDefinition) throws -> IndexDefinition {
    guard !definition.fields.isEmpty, definition.vector == nil,
      !definition.fields.contains(where: { $0.mode == .contains })
    else { return definition }
    return try IndexDefinition(
      collectionID: definition.collectionID,
      scope: definition.scope,
      fields: definition.listedFields,
      density: random.pick(IndexDensity.allCases)
    )
  }

  private func changeIndexes() throws {
    if random.chance(50) { _ = try fixture.database.performIndexMaintenance() }
    let declared = fixture.database.indexes.current.declared.filter(\.state.isMaintained)
    if random.chance(5), let index = declared.randomElement(using: &random) {
      try fixture.database.deleteIndex(index.id)
    }
    if random.chance(5) {
      // Refused while the field's last change is under way.
      try? fixture.database.overrideField(
        random.pick(RandomSource.paths + [FieldOverride.anyField]),
        of: random.pick(["c", "e", "s"]),
        indexes: random.pick([
          nil, [], [SingleFieldIndex(.collection, .ascending)],
          SingleFieldIndex.defaults.union([SingleFieldIndex(.collectionGroup, .ascending)]),
        ])
      )
    }
  }
}

extension RandomSource: RandomNumberGenerator {
  mutating func next() -> UInt64 { UInt64(below(1 << 31)) << 33 | UInt64(below(1 << 31)) << 2 }
}

extension QueryFixture {
  /// Checks that the stored entries are those that the documents give.
  func verifyIndexes(_ context: String) throws {
    let set = database.indexes.current
    var expected: [[UInt8]: [UInt8]] = [:]
    for (path, fields) in documents {
      let encoded = DocumentFields(encoding: fields)
      for entry in set.entries(of: path, fields: encoded) { expected[entry.key] = entry.tags }
    }
    var found: [[UInt8]: [UInt8]] = [:]
    try database.engine.read { snapshot in
      for space in [KeySpace.automaticIndex, .declaredIndex] {
        let range = KeyRange(prefix: space.prefix(database.incarnation))
        let cursor = try snapshot.cursor(over: range, reversed: false)
        while try cursor.next() {
          found[Array(cursor.key)] = Array(IndexEntryCoding.tags(ofValue: cursor.value))
        }
      }
    }
    #expect(found == expected, "\(context): \(found.count) entries, expected \(expected.count)")
  }
}
