import BaseStatus
import FirestoreModel
import Foundation
import ModelTestSupport
import PostgresTestSupport
import Testing

@testable import DocumentStore

/// Several nodes on one store against a plain model: whichever is asked, it answers as if there were one.
@Suite(
  "Several nodes on one store",
  .enabled(if: PostgresServer.isInstalled, Comment(rawValue: PostgresServer.missing))
)
struct SharedHistoryTests {
  @Test func `every node answers as the model, and tells of every commit once`() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed of the history over three nodes: \(seed)")
    let history = try SharedHistory(seed: seed, nodes: 3)
    for _ in 0..<Self.operations { try await history.step() }
    try await history.finish()
  }

  private static let operations =
    ProcessInfo.processInfo.environment["BRASA_SLOW_TESTS"] != nil ? 100_000 : 400

  @Test func `a transaction that another node has is begun again`() async throws {
    let schema = SharedNode.schema()
    let nodes = [try SharedNode(schema), try SharedNode(schema)]
    let transaction = try await nodes[0].database().beginTransaction(.readWrite())
    let database = try await nodes[1].database()
    await #expect(Self.refusal(of: transaction, in: database) == .aborted)
    _ = try database.beginTransaction(.readWrite(retrying: transaction))
    for node in nodes { try node.close() }
  }

  @Test func `counters that all nodes add to in transactions lose nothing`() async throws {
    let schema = SharedNode.schema()
    let nodes = try (0..<3).map { _ in try SharedNode(schema) }
    try await nodes[0].database().commit(set("c/n", ["n": .integer(0)]))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for node in nodes { group.addTask { try await Self.add(20, on: node) } }
      try await group.waitForAll()
    }
    for node in nodes {
      let fields = try await node.database().fields("c/n")
      #expect(fields?["n"] == .integer(60))
    }
    for node in nodes { try node.close() }
  }

  private static func refusal(
    of transaction: TransactionID,
    in database: Database
  ) async -> StatusCode? {
    do {
      _ = try await database.read("c/a", in: transaction)
      return nil
    } catch {
      return (error as? ServiceError)?.code
    }
  }

  private static func add(_ count: Int, on node: SharedNode) async throws {
    var done = 0
    while done < count {
      let database = try await node.database()
      guard let known = try database.get("c/n"), case .integer(let n)? = known.fields.decoded()["n"]
      else { throw ServiceError(.dataLoss, "the counter is gone") }
      let write = set("c/n", ["n": .integer(n + 1)], if: .updateTime(known.updateTime))
      do {
        try await database.commit(write)
        done += 1
      } catch let error as ServiceError where error.code == .failedPrecondition {
        continue
      }
    }
  }
}

/// A random history over nodes, one operation at a time, and what a store of one would hold.
private final class SharedHistory {
  private let nodes: [SharedNode]
  private var source: SeededSource
  private var model: [ResourcePath: MapValue] = [:]
  /// The states at some versions of the present life of the database.
  private var past: [(version: CommitVersion, documents: [ResourcePath: MapValue])] = []
  private var commits = 0
  private var declared = 0
  private var lastTime: CommitVersion = .zero

  /// A database has a thousand overrides at most.
  private static let maximumDeclared = 900
  private static let paths = (0..<12).map { ResourcePath(stringLiteral: "c/d\($0)") }

  init(seed: UInt64, nodes count: Int) throws {
    source = SeededSource(seed: seed)
    let schema = SharedNode.schema()
    nodes = try (0..<count).map { _ in try SharedNode(schema) }
  }

  func step() async throws {
    let node = nodes[Int.random(in: 0..<nodes.count, using: &source)]
    let database = try await node.database()
    switch Int.random(in: 0..<100, using: &source) {
    case 0..<40: try await write(database)
    case 40..<70: try check(database, random())
    case 70..<85: try checkPast(database)
    case 85..<95: try checkView(database)
    case 95..<98: try declare(database)
    default:
      try node.store.clear(SharedNode.id)
      (model, past) = ([:], [])
    }
    try checkTime(database)
  }

  /// Compares everything on all nodes, and what they have told of commits.
  func finish() async throws {
    var told: [[String]] = []
    for node in nodes {
      let database = try await node.database()
      for path in Self.paths { try check(database, path) }
      _ = try node.store.publishedReadTime()
      told.append(node.published.all.map(Self.line))
      #expect(node.published.misses.load(ordering: .relaxed) <= 1)
    }
    // Of a life of the database that a node has not opened it tells nothing.
    for lines in told { #expect(lines.count == Set(lines).count) }
    #expect(Set(told.flatMap { $0 }).count <= commits)
    try await compareListeners()
    for node in nodes { try node.close() }
  }

  /// Once all have the database open they tell the same, in the same order.
  private func compareListeners() async throws {
    let before = nodes.map { $0.published.all.count }
    for round in 0..<20 {
      let database = try await nodes[round % nodes.count].database()
      for _ in 0...round % 2 { try await write(database) }
    }
    var told: [[String]] = []
    for (node, count) in zip(nodes, before) {
      try await node.becomeCurrent()
      _ = try node.store.publishedReadTime()
      told.append(node.published.all.dropFirst(count).map(Self.line))
    }
    #expect(!told[0].isEmpty)
    for lines in told { #expect(lines == told[0]) }
  }

  private static func line(_ commit: PublishedCommit) -> String {
    let changes = commit.changes.map { change in
      let (old, new) = (change.old?.updateTime.microseconds, change.new?.updateTime.microseconds)
      let fields = change.new.map { "\($0.fields.decoded())" } ?? "-"
      return "\(change.path) \(old ?? 0) \(new ?? 0) \(fields)"
    }
    return "\(commit.incarnation) \(commit.version.microseconds) \(changes)"
  }

  private func random() -> ResourcePath {
    Self.paths[Int.random(in: 0..<Self.paths.count, using: &source)]
  }

  private func write(_ database: Database) async throws {
    var writes: [Write] = []
    let numbers = (0..<3).map { _ in Int.random(in: 0..<Self.paths.count, using: &source) }
    for path in Set(numbers).sorted().map({ Self.paths[$0] }) {
      if Bool.random(using: &source), model[path] != nil {
        writes.append(delete(path))
        model[path] = nil
      } else {
        let fields = map(["n": .integer(Int64.random(in: 0..<1_000, using: &source))])
        writes.append(set(path, fields))
        model[path] = fields
      }
    }
    let outcome = try await database.commit(CommitProposal(writes: writes))
    #expect(outcome.version > lastTime)
    lastTime = outcome.version
    commits += 1
    past.append((outcome.version, model))
  }

  private func check(_ database: Database, _ path: ResourcePath) throws {
    switch database.getCached(path) {
    case .unknown: break
    case .missing: #expect(model[path] == nil)
    case .found(let record): #expect(record.fields.decoded() == model[path])
    }
    try #expect(database.fields(path) == model[path])
  }

  private func checkPast(_ database: Database) throws {
    guard let (version, documents) = past.randomElement(using: &source) else { return }
    let path = random()
    try #expect(database.fields(path, at: .at(version)) == documents[path])
  }

  /// All documents of views, as queries read them.
  private func checkView(_ database: Database) throws {
    for path in Self.paths {
      let found = try database.read(.now) { view in
        try database.document(DocumentKey(path, in: database.incarnation), in: view)
      }
      #expect(found?.fields.decoded() == model[path])
    }
  }

  private func declare(_ database: Database) throws {
    guard declared < Self.maximumDeclared else { return }
    declared += 1
    let field = FieldPath(stringLiteral: "f\(declared)")
    try database.overrideField(field, of: "c", indexes: [])
    for node in nodes {
      // Told before anything shows it.
      _ = try node.engine.read { try $0.readTime() }
      guard let open = node.store.openDatabase(SharedNode.id) else { continue }
      #expect(open.indexes.current.generation == database.indexes.current.generation)
    }
  }

  private func checkTime(_ database: Database) throws {
    let time = try database.readTime()
    #expect(time >= lastTime)
    lastTime = time
  }
}
