import BaseStatus
import BaseText
import FirestoreModel
import Synchronization
import Testing

@testable import DocumentStore

/// Tests of the questions that threads that must not block may ask of a database.
@Suite struct InMemoryTests {
  private func commit(
    _ writes: Write...,
    judge: CommitJudge? = nil,
    to database: Database
  ) async throws -> CommitOutcome? {
    try await withCheckedThrowingContinuation { continuation in
      let request = CommitProposal(writes: writes, judge: judge, wantsDocuments: true)
      let isTaken = database.commitInMemory(request) { result in
        continuation.resume(with: result.map(Optional.some))
      }
      if !isTaken { continuation.resume(returning: nil) }
    }
  }

  @Test(arguments: TestEngineKind.allCases)
  func `a commit prepared in memory is what any other is`(_ kind: TestEngineKind) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    let created = try #require(try await commit(create("a/x", ["n": .integer(1)]), to: database))
    #expect(created.documents.first??.fields.decoded() == map(["n": .integer(1)]))
    #expect(created.documents.first??.createTime == created.version)
    let again = await refusal { _ = try await commit(create("a/x", [:]), to: database) }
    #expect(again?.code == .alreadyExists)
    let changed = try #require(
      try await commit(set("a/x", ["m": .integer(2)], mask: ["m"]), to: database)
    )
    #expect(
      changed.documents.first??.fields.decoded() == map(["m": .integer(2), "n": .integer(1)])
    )
    #expect(changed.documents.first??.createTime == created.version)
    let removed = try #require(try await commit(delete("a/x"), to: database))
    #expect(removed.documents == [nil])
    #expect(try database.fields("a/x") == nil)
    _ = try database.verify { Issue.record("\($0)") }
    try fixture.close()
  }

  @Test(arguments: TestEngineKind.allCases)
  func `of many who create one document at once, one does`(_ kind: TestEngineKind) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    for round in 0..<20 {
      let path = ResourcePath(["a", Text("x\(round)")])
      let answers = await withTaskGroup(of: Bool.self) { group in
        for author in 0..<8 {
          group.addTask {
            await refusal {
              let write = create(path, ["author": .integer(Int64(author))])
              if try await commit(write, to: database) == nil { try await database.commit(write) }
            } == nil
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.count(where: \.self) == 1)
    }
    #expect(try database.verify { Issue.record("\($0)") }.changes == 20)
    try fixture.close()
  }

  @Test func `who would wait for a transaction is not served in memory`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    try await database.commit(set("a/x", ["n": .integer(1)]))
    let transaction = try database.beginTransaction(.readWrite())
    _ = try await database.read("a/x", in: transaction)
    #expect(try await commit(set("a/x", [:]), to: database) == nil)
    try database.rollback(transaction)
    #expect(try await commit(set("a/x", [:]), to: database) != nil)
    try fixture.close()
  }

  @Test func `large commits are not prepared in memory`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let text = Text(String(repeating: "x", count: 40_000))
    #expect(try await commit(set("a/x", ["t": .string(text)]), to: database) == nil)
    try fixture.close()
  }

  @Test(arguments: TestEngineKind.allCases)
  func `who has to be allowed is judged in memory too`(_ kind: TestEngineKind) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    try await database.commit(set("roles/x", ["admin": .boolean(true)]))
    let judge: CommitJudge = { preview in
      let role = try preview.document(at: "roles/x")?.fields.decoded()["admin"]
      guard role == .boolean(true) else { throw ServiceError(.permissionDenied, "no") }
    }
    let outcome = try await commit(set("a/x", ["n": .integer(1)]), judge: judge, to: database)
    #expect(outcome?.results.count == 1)
    try await database.commit(set("roles/x", [:]))
    // The judge looked at two documents, which only a snapshot shows together.
    #expect(try await commit(set("a/x", [:]), judge: judge, to: database) == nil)
    let strict: CommitJudge = { _ in throw ServiceError(.permissionDenied, "no") }
    let denial = await refusal {
      _ = try await commit(set("a/x", [:]), judge: strict, to: database)
    }
    #expect(denial?.code == .permissionDenied)
    #expect(try database.fields("a/x") == map(["n": .integer(1)]))
    try fixture.close()
  }
}
