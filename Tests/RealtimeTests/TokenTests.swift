import BaseText
import DocumentStore
import FirestoreModel
import Testing

@testable import Realtime

/// Tests of the uses of a token, and of the cases in which there must be none.
@Suite struct TokenTests {
  private static func large(_ path: ResourcePath) -> Write {
    set(path, ["text": .string(Text(String(repeating: "x", count: 100)))])
  }

  /// A client that listens to `b`, and of `a` has got one of three documents.
  private func torn(_ fixture: HubFixture) async throws -> TestClient {
    try await fixture.commit(["a/x", "a/y", "a/z"].map(Self.large))
    let client = fixture.client()
    client.listen(query("b"), 1)
    fixture.settle()
    #expect(client.takeFrames() == ["+1", "=1", "."])
    client.listen(query("a"), 2)
    while client.state.targets[2]?.isEmpty ?? true { try #require(fixture.hub.step()) }
    #expect(client.takeFrames() == ["+2", "a/x 2"])
    return client
  }

  @Test func `a consistency point has no token while a target has come in part`() async throws {
    let fixture = try HubFixture(configure: { $0.partBytes = 1 })
    let client = try await torn(fixture)
    try await fixture.commit(Self.large("b/x"))
    #expect(fixture.hub.step())
    #expect(client.takeFrames() == ["a/y 2", "b/x 1", "~1", ":"])
    // Whoever is cut off here comes back without a token, and gets all.
    let held = client.state
    client.stream.close()
    #expect(held.tokens[2] == nil)
    let again = fixture.client()
    again.listen(query("a"), 2, from: held.tokens[2].map { .token($0) })
    // The other target has a token of its own.
    again.listen(query("b"), 1, from: held.tokens[1].map { .token($0) })
    fixture.settle()
    #expect(again.state.targets[2] == ["a/x", "a/y", "a/z"])
    #expect(again.takeFrames().contains("b/x 1") == false)
    try fixture.close()
  }

  @Test func `a heartbeat has no token while a target has come in part`() async throws {
    let fixture = try HubFixture(configure: { $0.partBytes = 1 })
    let client = try await torn(fixture)
    fixture.time.advance(40_000_000)
    fixture.hub.lookAtClock()
    #expect(fixture.hub.step())
    #expect(client.takeFrames() == ["a/y 2", "~1", ":"])
    fixture.settle()
    #expect(client.takeFrames() == ["a/z 2", "=2", "."])
    fixture.pass(40)
    #expect(client.takeFrames() == ["."])
    try fixture.close()
  }

  @Test func `the end of the target that has come in part brings tokens back`() async throws {
    let fixture = try HubFixture(configure: { $0.partBytes = 1 })
    let client = try await torn(fixture)
    client.stream.remove(2)
    try await fixture.commit(Self.large("b/x"))
    fixture.settle()
    #expect(client.takeFrames() == ["a/y 2", "-2", "b/x 1", "."])
    try fixture.close()
  }

  @Test func `a target that begins anew takes the token of its stream until it is current`()
    async throws
  {
    let fixture = try HubFixture(configure: {
      $0.backlogBytes = 500
      $0.partBytes = 1
    })
    let client = fixture.client()
    client.listen(query("a"), 1)
    fixture.settle()
    client.change { $0.budget = 1 }
    for path in ["a/x", "a/y", "a/z"] as [ResourcePath] {
      try await fixture.commit(Self.large(path))
      for number in 0..<4 { try await fixture.commit(set(path, ["n": .integer(Int64(number))])) }
      fixture.settle()
    }
    _ = client.takeFrames()
    client.change { $0.budget = .max }
    client.stream.resume()
    while client.state.frames != ["0 1", "a/x 1"] { try #require(fixture.hub.step()) }
    #expect(client.state.tokens[1] == nil)
    fixture.settle()
    #expect(client.state.targets[1] == ["a/x", "a/y", "a/z"])
    #expect(client.state.tokens[1] == client.state.token)
    try fixture.close()
  }

  @Test func `a token of many targets serves each of them`() async throws {
    let fixture = try HubFixture()
    try await fixture.commit(Self.large("a/x"))
    for count in [1, 31, 32, 33, 60] {
      let client = fixture.client()
      for number in 0..<count {
        client.listen(query("a", limit: number + 1), Int32(number + 1))
      }
      fixture.settle()
      let token = try #require(ResumeToken(bytes: client.state.token))
      #expect(token.marks.count == (count > 32 ? 0 : count))
      let again = fixture.client()
      again.listen(query("a", limit: count), from: .token(client.state.token))
      fixture.settle()
      #expect(again.takeFrames() == ["+1", "=1", "."], "\(count) targets")
    }
    try fixture.close()
  }

  @Test func `a stream of two hours hears of the time, is told each change and keeps nothing`()
    async throws
  {
    let fixture = try HubFixture()
    let client = fixture.client()
    client.listen(query("a"), 1)
    fixture.settle()
    let begun = fixture.hub.statistics()
    _ = client.takeFrames()
    for minute in 0..<120 {
      fixture.pass(30)
      #expect(client.takeFrames() == ["."], "minute \(minute)")
      fixture.pass(29)
      try await fixture.commit(set("a/x", ["n": .integer(Int64(minute))]))
      fixture.settle()
      #expect(client.takeFrames() == ["a/x 1", "."], "minute \(minute)")
    }
    for (name, size) in fixture.hub.statistics() where !name.hasSuffix("_total") {
      #expect(size == begun[name], "\(name)")
    }
    #expect(!client.state.wentBack)
    try fixture.close()
  }

  @Test func `a token of another store is of no use, whatever its numbers are`() async throws {
    let first = try HubFixture()
    try await first.commit(Self.large("a/ghost"))
    let client = first.client()
    client.listen(query("a"))
    first.settle()
    let second = try HubFixture()
    try await second.commit(Self.large("a/x"))
    let again = second.client()
    again.listen(query("a"), from: .token(client.state.token))
    second.settle()
    #expect(again.takeFrames() == ["+1", "0 1", "a/x 1", "=1", "."])
    try first.close()
    try second.close()
  }

  @Test func `the marks of queries that differ in anything differ`() throws {
    var queries = [
      query("a"), query("b"), query("a", below: "b/x"), Query(scope: .collectionGroup("a")),
      Query(scope: .descendants), Query(scope: .children), query("a", limit: 1),
      query("a", limit: 2), query("a", order: [Order("n")]), query("a", order: [Order("m")]),
      query("a", order: [Order("n", .descending)]), query("a", where: equal("n", .integer(1))),
      query("a", where: equal("n", .integer(2))), query("a", where: equal("n", .string("1"))),
      query("a", where: equal("m", .integer(1))), query("a", where: .unary("n", .isNull)),
      query("a", where: .unary("n", .isNaN)), query("a", where: .unary("n", .isNotNull)),
      query("a", where: .field("n", .notEqual, .integer(1))),
      query("a", where: .field("n", .arrayContains, .integer(1))),
      query("a", where: .field("n", .notIn, .array([.integer(1)]))),
      query("a", where: .or([equal("n", .integer(1)), equal("n", .integer(2))])),
      query("a", where: .and([equal("n", .integer(1)), equal("m", .integer(2))])),
    ]
    for operation in [Filter.FieldOperator.lessThan, .lessThanOrEqual, .greaterThan] {
      queries.append(query("a", where: .field("n", operation, .integer(1))))
    }
    for before in [true, false] {
      var bounded = query("a", order: [Order("n")])
      bounded.start = Cursor(values: [.integer(1)], before: before)
      queries.append(bounded)
      bounded.end = bounded.start
      bounded.start = nil
      queries.append(bounded)
    }
    var skipping = query("a")
    skipping.offset = 1
    queries.append(skipping)
    let subjects =
      try queries.map { try ViewSubject(.query($0)) } + [
        .documents(["a/x"]), .documents(["a/x", "a/y"]), .documents(["a/y"]),
      ]
    let marks = Set(subjects.map { SubjectMark($0, in: HubFixture.id) })
    #expect(marks.count == subjects.count)
    let other = DatabaseID(project: "other")
    #expect(subjects.allSatisfy { !marks.contains(SubjectMark($0, in: other)) })
  }
}
