import BaseJSON
import Testing

@testable import FunctionsAdminAPI

/// The bounds of the operations that wait.
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
}
