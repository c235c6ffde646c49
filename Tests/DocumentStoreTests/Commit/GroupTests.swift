import BaseText
import FirestoreModel
import Testing

@testable import DocumentStore

@Suite struct GroupTests {
  @Test(arguments: TestEngineKind.allCases)
  func `increments from everywhere at once all count`(_ kind: TestEngineKind) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    let one = FieldTransform(field: "n", operation: .increment(.integer(1)))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<16 {
        group.addTask {
          for _ in 0..<25 {
            try await database.commit(
              Write(name: name("a/x"), operation: .transform, transforms: [one])
            )
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try database.fields("a/x") == map(["n": .integer(400)]))
    #expect(try database.verify { Issue.record("\($0)") }.changes == 400)
    try fixture.close()
  }

  @Test func `whoever was answered may rely on the observer having heard`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    for number in 0..<50 {
      let outcome = try await database.commit(set("a/x", ["n": .integer(Int64(number))]))
      #expect(fixture.published.all.last?.version == outcome.version)
      #expect(try fixture.store.publishedReadTime() >= outcome.version)
    }
    try fixture.close()
  }

  @Test func `observers hear of databases that end`() async throws {
    let fixture = try StoreFixture()
    let first = try fixture.database.incarnation
    try fixture.store.clear(StoreFixture.id)
    #expect(fixture.published.retired == [first])
    let second = try fixture.database.incarnation
    try fixture.store.deleteDatabase(StoreFixture.id)
    #expect(fixture.published.retired == [first, second])
    try fixture.close()
  }

  @Test(arguments: TestEngineKind.allCases)
  func `observers hear every commit once, in version order, with what was before and after`(
    _ kind: TestEngineKind
  ) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<20 {
            let path = ResourcePath(["a", Text("\(number % 3)")])
            try await database.commit(set(path, ["n": .integer(Int64(task * 100 + number))]))
          }
        }
      }
      try await group.waitForAll()
    }
    let published = fixture.published.all
    fixture.store.close()
    #expect(published.map(\.version) == published.map(\.version).sorted())
    #expect(Set(published.map(\.version)).count == published.count)
    var last: [ResourcePath: StoredDocument] = [:]
    for commit in published {
      for change in commit.changes {
        #expect(change.old == last[change.path])
        #expect(change.new?.updateTime == commit.version)
        last[change.path] = change.new
      }
    }
    try fixture.engine.close()
  }

  @Test(arguments: TestEngineKind.allCases)
  func `indexes declared and dropped under load end up as the documents say`(
    _ kind: TestEngineKind
  ) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    let definition = try IndexDefinition(
      collectionID: "a",
      scope: .collection,
      fields: [IndexedField("n", .ascending), IndexedField("m", .descending)]
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for number in 0..<60 {
            let path = ResourcePath(["a", Text("\(number % 20)")])
            let value = Value.integer(Int64(task * 1_000 + number))
            try await database.commit(set(path, ["n": value, "m": .integer(1)]))
          }
        }
      }
      group.addTask {
        for _ in 0..<5 {
          let index = try database.declareIndex(definition)
          try fixture.maintain()
          try database.deleteIndex(index.id)
          try fixture.maintain()
        }
        _ = try database.declareIndex(definition)
      }
      try await group.waitForAll()
    }
    try fixture.maintain()
    let summary = try database.verify { Issue.record("\($0)") }
    #expect(!summary.skippedUnfinishedIndexes)
    #expect(summary.documents == 20)
    #expect(summary.indexEntries == 60)
    try fixture.close()
  }
}
