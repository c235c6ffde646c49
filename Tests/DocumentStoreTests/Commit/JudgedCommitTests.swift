import BaseStatus
import FirestoreModel
import Synchronization
import Testing

@testable import DocumentStore

/// Commits that somebody has to allow.
struct JudgedCommitTests {
  private static let refusal = ServiceError(.permissionDenied, "no")

  private func request(_ writes: Write..., judge: @escaping CommitJudge) -> CommitProposal {
    CommitProposal(writes: writes, judge: judge)
  }

  @Test(arguments: [false, true])
  func `the judge sees what each write comes to`(inGroup: Bool) async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    try await database.commit(set("d/x", ["n": .integer(1)]), set("other/x", ["n": .integer(9)]))
    let seen = Mutex<[String]>([])
    let increment = FieldTransform(field: "n", operation: .increment(.integer(4)))
    var request = request(
      set("d/x", ["a": .integer(2)], mask: ["a"], transforms: [increment]),
      delete("d/x"),
      set("d/new", [:])
    ) { preview in
      var lines = preview.writes.indices.map { index in
        let before = preview.before(write: index)?.fields.decoded()
        let after = preview.after(write: index)?.decoded()
        return "\(preview.isFirst(write: index)) \(before?["n"] as Any) \(after?["n"] as Any)"
      }
      let before = try ["other/x", "d/x"].map { try preview.document(at: $0)?.fields.decoded() }
      #expect(before == [map(["n": .integer(9)]), map(["n": .integer(1)])])
      let after = try ["d/x", "d/new", "d/none"].map { try preview.fieldsAfter(at: $0)?.decoded() }
      #expect(after == [nil, map([:]), nil])
      lines.append("\(preview.requestTime.nanos % 1_000_000)")
      seen.withLock { $0 = lines }
    }
    request.isJudgedInGroup = inGroup
    _ = try await database.commit(request)
    let one: Value? = .integer(1)
    let five: Value? = .integer(5)
    let nothing: Value? = nil
    #expect(
      seen.withLock { $0 } == [
        "true \(one as Any) \(five as Any)", "false \(one as Any) \(nothing as Any)",
        "true \(nothing as Any) \(nothing as Any)", "0",
      ]
    )
    #expect(try database.fields("d/x") == nil)
    try fixture.close()
  }

  @Test(arguments: [false, true])
  func `what the judge refuses leaves nothing, whatever else is wrong`(
    inGroup: Bool
  ) async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    try await database.commit(set("d/x", ["n": .integer(1)]))
    for write in [
      set("d/x", ["n": .integer(2)]), create("d/x", [:]), delete("d/no", if: .exists(true)),
    ] {
      var request = request(write) { _ in throw Self.refusal }
      request.isJudgedInGroup = inGroup
      let error = await #expect(throws: ServiceError.self) {
        try await database.commit(request)
      }
      #expect(error?.code == .permissionDenied)
    }
    #expect(try database.fields("d/x") == map(["n": .integer(1)]))
    try fixture.close()
  }

  @Test(arguments: [false, true])
  func `what the judge allows is still refused for what is wrong with it`(
    inGroup: Bool
  ) async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    try await database.commit(set("d/x", ["n": .integer(1)]))
    for (write, code) in [
      (create("d/x", [:]), StatusCode.alreadyExists),
      (delete("d/no", if: .exists(true)), .notFound),
    ] {
      var request = request(write) { _ in }
      request.isJudgedInGroup = inGroup
      let error = await #expect(throws: ServiceError.self) {
        try await database.commit(request)
      }
      #expect(error?.code == code)
    }
    try fixture.close()
  }

  /// The judge itself commits a change of what it has looked at: the decision is stale by then.
  @Test(arguments: ["d/x", "d/new", "roles/x", "roles/none"] as [ResourcePath])
  func `a change of anything that the judge saw makes the decision stale`(
    changed: ResourcePath
  ) async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    try await database.commit(set("d/x", ["n": .integer(1)]), set("roles/x", ["n": .integer(1)]))
    let decided = Mutex(0)
    let request = request(set("d/x", ["n": .integer(2)]), set("d/new", [:])) { preview in
      _ = try preview.document(at: "roles/x")
      _ = try preview.fieldsAfter(at: "roles/none")
      if decided.withLock({
        $0 += 1; return $0
      }) == 1 {
        // Handed to the writer before this commit is.
        database.commit(CommitProposal(writes: [set(changed, ["n": .integer(7)])])) { _ in }
      }
    }
    await #expect(throws: StaleReadSet.self) { try await database.commit(request) }
    #expect(try database.fields("d/x") == map(["n": .integer(changed == "d/x" ? 7 : 1)]))
    // Decided again it is allowed; inside the group it could not have gone stale.
    _ = try await database.commit(request)
    #expect(try database.fields("d/x") == map(["n": .integer(2)]))
    try fixture.close()
  }

  @Test func `a denial of several documents is asked for again of one snapshot`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    try await database.commit(set("d/x", ["n": .integer(1)]), set("roles/x", ["n": .integer(1)]))
    let asked = Mutex(0)
    let request = request(set("d/x", ["n": .integer(2)])) { preview in
      _ = try preview.document(at: "roles/x")
      if asked.withLock({
        $0 += 1; return $0
      }) == 1 {
        throw Self.refusal
      }
    }
    _ = try await database.commit(request)
    #expect(asked.withLock { $0 } == 2)
    try fixture.close()
  }

  @Test func `a transaction survives a stale decision and ends with a denial`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    try await database.commit(set("d/x", ["n": .integer(1)]))
    let id = try database.beginTransaction(.readWrite(mode: .optimistic))
    let calls = Mutex(0)
    var stale = request(set("d/y", [:])) { preview in
      _ = try preview.document(at: "roles/x")
      if calls.withLock({
        $0 += 1; return $0
      }) == 1 {
        database.commit(CommitProposal(writes: [set("roles/x", [:])])) { _ in }
      }
    }
    stale.transaction = id
    await #expect(throws: StaleReadSet.self) { try await database.commit(stale) }
    _ = try await database.commit(stale)
    var denied = request(set("d/z", [:])) { _ in throw Self.refusal }
    denied.transaction = try database.beginTransaction(.readWrite(mode: .pessimistic))
    for code in [StatusCode.permissionDenied, .invalidArgument] {
      let error = await #expect(throws: ServiceError.self) {
        try await database.commit(denied)
      }
      #expect(error?.code == code)
    }
    try fixture.close()
  }
}
