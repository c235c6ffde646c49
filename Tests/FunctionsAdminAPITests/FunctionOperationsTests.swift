import BaseJSON
import Testing

@testable import FunctionsAdminAPI

/// The bounds and the order of the operations that wait.
@Suite struct FunctionOperationsTests {
  @Test func `the requests of one project take no room of another's`() throws {
    let operations = FunctionOperations()
    func begin(_ project: String) throws -> String {
      try operations.begin(of: project, .object([]), bytes: 1 << 20) { .object([]) }
    }
    for _ in 0..<16 { _ = try begin("a") }
    #expect(throws: (any Error).self) { _ = try begin("a") }
    let other = try begin("b")
    #expect(try operations.json(other, of: "b", as: "x")["done"] == nil)
    #expect(throws: (any Error).self) { try operations.json(other, of: "a", as: "x") }
    for project in ["b", "c", "d", "e", "f"] {
      for _ in 0..<16 { _ = try? begin(project) }
    }
    // All projects together have room as well.
    #expect(throws: (any Error).self) { _ = try begin("g") }
  }

  @Test func `a slow deployment holds up its own project alone`() async throws {
    let operations = FunctionOperations()
    let (ended, end) = AsyncStream<String>.makeStream()
    let (opened, open) = AsyncStream<Void>.makeStream()
    func begin(_ project: String, _ name: String, waits: Bool = false) throws {
      _ = try operations.begin(of: project, .object([]), bytes: 1) {
        if waits { for await _ in opened { break } }
        end.yield(name)
        return .object([])
      }
    }
    try begin("a", "slow", waits: true)
    try begin("a", "behind it")
    try begin("b", "another")
    try begin("c", "a third")
    let running = Task { await operations.run() }
    var order: [String] = []
    for await name in ended {
      order.append(name)
      if name == "a third" { open.yield() }
      if order.count == 4 { break }
    }
    #expect(order == ["another", "a third", "slow", "behind it"])
    running.cancel()
    await running.value
  }
}
