import BaseStatus
import DocumentCodec
import FirestoreModel
import Testing

@testable import DocumentStore

@Suite struct WriteTests {
  @Test(arguments: TestEngineKind.allCases)
  func `a created document is read back with one time for creation and update`(
    _ kind: TestEngineKind
  ) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    let outcome = try await database.commit(create("a/x", ["n": .integer(1)]))
    let record = try #require(try database.get("a/x"))
    #expect(record.fields.decoded() == map(["n": .integer(1)]))
    #expect(record.createTime == outcome.version)
    #expect(record.updateTime == outcome.version)
    #expect(outcome.results == [WriteResult(updateTime: outcome.version)])
    try fixture.close()
  }

  @Test(arguments: TestEngineKind.allCases)
  func `preconditions are refused with Firestore's codes and texts`(
    _ kind: TestEngineKind
  ) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    let version = try await database.commit(set("a/x", ["n": .integer(1)])).version
    let cases: [(Write, StatusCode, String)] = [
      (
        create("a/x", [:]), .alreadyExists,
        "Document already exists: projects/demo/databases/(default)/documents/a/x"
      ),
      (
        set("a/y", [:], if: .exists(true)), .notFound,
        "No document to update: projects/demo/databases/(default)/documents/a/y"
      ),
      (
        delete("a/y", if: .exists(true)), .notFound,
        "No document to update: projects/demo/databases/(default)/documents/a/y"
      ),
      (
        verify("a/y", .exists(true)), .notFound,
        "No document to update: projects/demo/databases/(default)/documents/a/y"
      ),
      (
        set("a/x", [:], if: .updateTime(CommitVersion(microseconds: 7))), .failedPrecondition,
        "the stored version (\(version.microseconds)) does not match the required base version (7)"
      ),
      (
        set("a/y", [:], if: .updateTime(CommitVersion(microseconds: 7))), .failedPrecondition,
        "the stored version (0) does not match the required base version (7)"
      ),
    ]
    for (write, code, message) in cases {
      let error = await refusal { try await database.commit(write) }
      #expect(error?.code == code)
      #expect(error?.message == message)
    }
    try await database.commit(set("a/x", ["n": .integer(2)], if: .updateTime(version)))
    try fixture.close()
  }

  @Test func `a precondition of a future update time is an invalid argument`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let version = try await database.commit(set("a/x", ["n": .integer(1)])).version
    let later = CommitVersion(microseconds: version.microseconds + 3_600_000_000)
    for write in [
      set("a/x", [:], if: .updateTime(later)), delete("a/x", if: .updateTime(later)),
      verify("a/x", .updateTime(later)),
    ] {
      let error = await refusal { try await database.commit(write) }
      #expect(error?.code == .invalidArgument)
      #expect(
        error?.message == "Invalid base version, it is greater than the stored version: "
          + "projects/demo/databases/(default)/documents/a/x"
      )
    }
    // There is nothing that it could be greater than.
    let missing = await refusal { try await database.commit(delete("a/y", if: .updateTime(later))) }
    #expect(missing?.code == .failedPrecondition)
    try fixture.close()
  }

  @Test func `several writes of a commit may demand the same update time`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let version = try await database.commit(set("a/x", ["n": .integer(1)])).version
    try await database.commit(
      set("a/x", ["n": .integer(2)], if: .updateTime(version)),
      set("a/x", ["n": .integer(3)], if: .updateTime(version))
    )
    #expect(try database.get("a/x")?.fields.value(at: FieldPath(["n"])) == .integer(3))
    try fixture.close()
  }

  @Test func `the writes of a commit see the ones before them`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let first = try await database.commit(create("a/x", ["n": .integer(1)]))
    let outcome = try await database.commit(
      delete("a/x", if: .exists(true)),
      create("a/x", ["n": .integer(2)]),
      set("a/x", ["m": .integer(3)], mask: ["m"], if: .exists(true))
    )
    let record = try #require(try database.get("a/x"))
    #expect(record.fields.decoded() == map(["m": .integer(3), "n": .integer(2)]))
    #expect(record.createTime == outcome.version)
    #expect(outcome.version > first.version)
    #expect(outcome.results.map(\.updateTime) == [nil, outcome.version, outcome.version])
    try fixture.close()
  }

  @Test func `one refused write leaves nothing of its commit`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let error = await refusal {
      try await database.commit(
        set("a/x", ["n": .integer(1)]),
        set("a/y", [:], if: .exists(true))
      )
    }
    #expect(error?.code == .notFound)
    #expect(try database.get("a/x") == nil)
    #expect(fixture.published.all.isEmpty)
    try fixture.close()
  }

  @Test func `a write that changes nothing keeps the update time and is not published`()
    async throws
  {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let first = try await database.commit(
      set("a/x", ["n": .integer(1), "s": .string("t")])
    ).version
    let again = try await database.commit(set("a/x", ["s": .string("t"), "n": .integer(1)]))
    #expect(again.version > first)
    #expect(again.results.first?.updateTime == first)
    #expect(try database.get("a/x")?.updateTime == first)
    #expect(fixture.published.all.count == 1)
    let double = try await database.commit(set("a/x", ["n": .double(1)], mask: ["n"]))
    #expect(double.results.first?.updateTime == double.version)
    #expect(try database.fields("a/x") == map(["n": .double(1), "s": .string("t")]))
    try fixture.close()
  }

  @Test func `all server timestamps of a commit are one whole millisecond, not above its version`()
    async throws
  {
    let fixture = try StoreFixture()
    fixture.storage.clock.advance(by: 1_234)
    let database = try fixture.database
    let stamp = FieldTransform(field: "t", operation: .serverTimestamp)
    let outcome = try await database.commit(
      set("a/x", [:], transforms: [stamp]),
      Write(name: name("a/y"), operation: .transform, transforms: [stamp])
    )
    let values = outcome.results.flatMap(\.transformResults)
    #expect(values.count == 2 && values.first == values.last)
    guard case .timestamp(let time)? = values.first else {
      Issue.record("no timestamp: \(values)")
      return
    }
    #expect(time.microseconds.isMultiple(of: 1_000))
    #expect(time.microseconds <= outcome.version.microseconds)
    #expect(try database.fields("a/y") == map(["t": .timestamp(time)]))
    try fixture.close()
  }

  @Test func `masks set what they name and delete what they name in vain`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    try await database.commit(
      set("a/x", ["a": .integer(1), "b": .map(map(["c": .integer(2), "d": .integer(3)]))])
    )
    try await database.commit(
      set("a/x", ["b": .map(map(["c": .integer(9)])), "e": .integer(4)], mask: ["b.c", "a"])
    )
    #expect(
      try database.fields("a/x")
        == map(["b": .map(map(["c": .integer(9), "d": .integer(3)]))])
    )
    try fixture.close()
  }

  @Test func `a batch answers every write on its own`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let answers = try await database.batchWrite([
      set("a/x", ["n": .integer(1)]),
      set("a/y", [:], if: .exists(true)),
      delete("a/z"),
    ])
    #expect(answers.count == 3)
    #expect(throws: Never.self) { try answers[0].get() }
    #expect((try? answers[1].get()) == nil)
    #expect(try answers[2].get() == WriteResult(updateTime: nil))
    #expect(try database.fields("a/x") == map(["n": .integer(1)]))
    let twice = await refusal {
      _ = try await database.batchWrite([set("a/x", [:]), delete("a/x")])
    }
    #expect(
      twice?.message
        == "the same document cannot be written more than once in a single request"
    )
    try fixture.close()
  }

  @Test func `a decision on a document that changed since is taken again`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let seen = try await database.commit(set("roles/x", ["admin": .boolean(true)])).version
    try await database.commit(set("roles/x", ["admin": .boolean(false)]))
    let stale = CommitProposal(
      writes: [set("a/x", [:])],
      readSet: [ReadDependency(path: "roles/x", version: seen)]
    )
    await #expect(throws: StaleReadSet.self) { _ = try await database.commit(stale) }
    let missing = CommitProposal(
      writes: [set("a/x", [:])],
      readSet: [ReadDependency(path: "roles/none", version: .zero)]
    )
    _ = try await database.commit(missing)
    #expect(try database.get("a/x") != nil)
    try fixture.close()
  }
}
