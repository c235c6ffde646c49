import BaseText
import FirestoreModel
import KeyValueStore
import ModelTestSupport
import Testing

@testable import DocumentStore

/// Reads with one cursor in the order of keys, and the commits that are planned with them.
@Suite struct OrderedReadsTests {
  @Test(arguments: 0..<20)
  func `they give what a get of each gives`(_ seed: UInt64) throws {
    var random = SeededSource(seed: seed)
    let engine = MemoryEngine()
    let keys = (0..<300).map { number in Array("k\(1_000 + number)".utf8) }
    let kept = keys.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
    try engine.write { group in for key in kept { try group.put(key, key + [1]) } }
    let every = Int.random(in: 1...20, using: &random)
    let asked = keys.filter { _ in Int.random(in: 0..<every, using: &random) == 0 }
    guard let first = asked.first, let last = asked.last else { return }
    try engine.read { view in
      let range = KeyRange(lower: first, upper: last + [0])
      let reads = try OrderedReads(range, in: view)
      for key in asked {
        #expect(reads.covers(key))
        #expect(try reads.value(of: key) == view.get(key), "seed \(seed)")
      }
      #expect(!reads.covers(last + [0]))
    }
    try engine.close()
  }

  /// Documents below others lie between them, and some of what is written is not there.
  @Test(arguments: 0..<10)
  func `a commit in the order of names leaves what any other leaves`(_ seed: UInt64) async throws {
    var random = SeededSource(seed: seed)
    let (bulk, plain) = (try StoreFixture(), try StoreFixture())
    var filling: [Write] = []
    var changes: [Write] = []
    for number in 100..<200 {
      let id = Text("\(number)")
      let path = ResourcePath(["c", id])
      if Bool.random(using: &random) {
        filling.append(set(ResourcePath(["c", id, "d", "1"]), ["n": .integer(1)]))
      }
      if Bool.random(using: &random) { filling.append(set(path, ["n": .integer(1)])) }
      switch Int.random(in: 0..<4, using: &random) {
      case 0: changes.append(set(path, ["m": .integer(2)]))
      case 1, 2: changes.append(delete(path))
      default: break
      }
    }
    for fixture in [bulk, plain] {
      for write in filling { try await fixture.database.commit(write) }
      var proposal = CommitProposal(writes: changes)
      proposal.isBulk = fixture === bulk
      let result = BlockingResult<CommitOutcome>()
      try fixture.database.commit(proposal) { result.set($0) }
      _ = try result.wait()
    }
    #expect(try contents(of: bulk) == contents(of: plain), "seed \(seed)")
    try bulk.close()
    try plain.close()
  }

  private func contents(of fixture: StoreFixture) throws -> [ResourcePath: MapValue] {
    let cursor = try fixture.database.query(Query(scope: .descendants))
    let documents = try cursor.next().documents
    return Dictionary(uniqueKeysWithValues: documents.map { ($0.name.path, $0.fields.decoded()) })
  }
}
