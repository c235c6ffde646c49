import BaseText
import FirestoreModel
import Testing

@testable import Realtime

/// Windows that run short are read off the hub's thread; meanwhile their streams wait, and nobody
/// else does.
@Suite struct RefillTests {
  private static func path(_ number: Int) -> ResourcePath {
    ResourcePath(["a", Text("d\(number)")])
  }

  private static let window = query("a", order: [Order("n")], limit: 2)

  /// A client with the window as target 1 and `b` as target 2, and one with `b` alone; then a commit
  /// that the window cannot survive, what the first client does then, and the hub's first step.
  private func dry(
    _ fixture: HubFixture,
    then act: (TestClient) -> Void = { _ in }
  ) async throws -> (waiting: TestClient, other: TestClient) {
    let writes = (10..<50).map { set(Self.path($0), ["n": .integer(Int64($0))]) }
    try await fixture.commit(writes)
    let (waiting, other) = (fixture.client(), fixture.client())
    waiting.listen(Self.window, 1)
    waiting.listen(query("b"), 2)
    other.listen(query("b"), 2)
    fixture.settle()
    #expect(waiting.contents(1).count == 2)
    _ = waiting.takeFrames()
    _ = other.takeFrames()
    try await fixture.commit((10..<40).map { delete(Self.path($0)) } + [set("b/x", [:])])
    act(waiting)
    #expect(fixture.hub.step())
    return (waiting, other)
  }

  @Test func `a stream waits for its window, others do not`() async throws {
    let fixture = try HubFixture()
    let (waiting, other) = try await dry(fixture)
    #expect(waiting.takeFrames() == [])
    #expect(other.takeFrames() == ["b/x 2", "."])
    #expect(fixture.hub.statistics()["listen_refills_total"] == 1)
    try await fixture.commit(set("b/y", [:]), delete(Self.path(40)))
    fixture.settle()
    // One commit is told at one point, whole; what came later is told later or with it.
    #expect(waiting.takeFrames().last == ".")
    #expect(Set(waiting.contents(1).keys) == [Self.path(41), Self.path(42)])
    #expect(Set(waiting.contents(2).keys) == ["b/x", "b/y"])
    #expect(!waiting.state.wentBack)
    try fixture.close()
  }

  @Test func `a heartbeat does not overtake the window`() async throws {
    let fixture = try HubFixture()
    let (waiting, other) = try await dry(fixture)
    _ = other.takeFrames()
    fixture.time.advance(40_000_000)
    fixture.hub.lookAtClock()
    #expect(waiting.takeFrames() == [])
    fixture.settle()
    #expect(
      waiting.takeFrames()
        == ["x a/d10 !1", "x a/d11 !1", "b/x 2", "a/d40 1", "a/d41 1", "."]
    )
    try fixture.close()
  }

  @Test func `a stream whose window nobody wants any more goes on`() async throws {
    let fixture = try HubFixture()
    let (waiting, _) = try await dry(fixture)
    waiting.stream.remove(1)
    fixture.settle()
    #expect(waiting.takeFrames() == ["-1", "b/x 2", "."])
    try await fixture.commit(set("b/y", [:]))
    fixture.settle()
    #expect(waiting.takeFrames() == ["b/y 2", "."])
    try fixture.close()
  }

  @Test(arguments: [false, true])
  func `what waits for a window is forgotten with its stream, once`(_ isShared: Bool) async throws {
    let fixture = try HubFixture()
    if isShared { fixture.client().listen(Self.window, 1) }
    // It closes before its window can come.
    _ = try await dry(fixture, then: { $0.stream.close() })
    #expect(fixture.hub.statistics()["listen_backlog_bytes"] == 0)
    fixture.settle()
    #expect(fixture.hub.statistics()["listen_backlog_bytes"] == 0)
    try fixture.close()
  }

  @Test func `a listener that comes meanwhile begins with the new window`() async throws {
    let fixture = try HubFixture()
    let (waiting, _) = try await dry(fixture)
    let late = fixture.client()
    late.listen(Self.window, 1)
    fixture.settle()
    #expect(late.takeFrames() == ["+1", "a/d40 1", "a/d41 1", "=1", "."])
    #expect(waiting.contents(1).count == 2)
    try fixture.close()
  }

  @Test func `a stream that closes, and a database that is cleared meanwhile, hold up nobody`()
    async throws
  {
    let fixture = try HubFixture()
    let (waiting, other) = try await dry(fixture)
    waiting.stream.close()
    fixture.settle()
    try await fixture.commit(set("b/y", [:]))
    fixture.settle()
    #expect(other.takeFrames().suffix(2) == ["b/y 2", "."])
    let (second, _) = try await dry(fixture)
    try fixture.databases.clear(HubFixture.id)
    fixture.settle()
    #expect(second.takeFrames().last == ".")
    #expect(second.contents(1).isEmpty && second.contents(2).isEmpty)
    try await fixture.commit(set("b/z", [:]))
    fixture.settle()
    #expect(second.takeFrames() == ["b/z 2", "."])
    try fixture.close()
  }
}
