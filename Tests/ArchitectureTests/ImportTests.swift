import Foundation
import Testing

/// Nothing imports what the table of targets does not allow.
struct ImportTests {
  private let tree = SourceTree()

  private func table() throws -> TargetTable {
    let page = tree.root.appendingPathComponent("docs/architecture.md")
    return TargetTable(page: try String(contentsOf: page, encoding: .utf8))
  }

  @Test func `the table names every target and no other`() throws {
    let table = try table()
    #expect(Set(table.allowed.keys) == Set(try tree.targets().keys))
  }

  @Test func `sources import what their row allows`() throws {
    let table = try table()
    for (target, folder) in try tree.targets() {
      let allowed = table.allowed[target, default: []].union(TargetTable.free)
      for line in try tree.imports(below: folder) {
        #expect(allowed.contains(line.module), "\(line.file) imports \(line.module)")
      }
    }
  }

  @Test func `what apps link imports nothing that iOS 16 has not`() throws {
    let table = try table()
    let products = try tree.targets().filter { $0.value.hasPrefix("Sources/SDK/") }
    var linked = Set(products.keys)
    var added = linked
    while !added.isEmpty {
      let next = added.flatMap { table.allowed[$0, default: []] }
      added = Set(next).filter { table.allowed[$0] != nil }.subtracting(linked)
      linked.formUnion(added)
    }
    #expect(linked.isSuperset(of: ["FirestoreModel", "Gzip", "Locking"]))
    let targets = try tree.targets()
    for target in linked {
      for line in try tree.imports(below: try #require(targets[target])) {
        #expect(line.module != "Synchronization", "\(line.file) needs iOS 18")
      }
    }
  }

  @Test func `our targets do not import each other in a circle`() throws {
    let table = try table()
    var finished: Set<String> = []
    func visit(_ target: String, _ path: [String]) {
      #expect(!path.contains(target), "\((path + [target]).joined(separator: " -> "))")
      guard !path.contains(target), finished.insert(target).inserted else { return }
      for next in table.allowed[target, default: []] where table.allowed[next] != nil {
        visit(next, path + [target])
      }
    }
    for target in table.allowed.keys { visit(target, []) }
  }

  @Test func `tests import their target, what it may import, and what their row adds`() throws {
    let table = try table()
    let folders = try tree.folders(of: "Tests")
    let helpers = Set(folders.filter { !$0.hasSuffix("Tests") })
    let everyTest = TargetTable.free.union(helpers).union([
      "Testing", "Foundation", "FoundationEssentials", "KeyValueStore", "KeyValueRocksDB",
    ])
    for tests in folders where tests.hasSuffix("Tests") {
      let target = String(tests.dropLast("Tests".count))
      let module = target.replacing("-", with: "_")
      let allowed = everyTest.union([module]).union(table.allowed[target, default: []])
        .union(table.allowedInTests[tests, default: []])
      for line in try tree.imports(below: "Tests/\(tests)") {
        #expect(allowed.contains(line.module), "\(line.file) imports \(line.module)")
      }
    }
  }

  @Test(arguments: [
    ("import Foundation", "Foundation"),
    ("@testable import DocumentStore", "DocumentStore"),
    ("@preconcurrency public import NIOCore", "NIOCore"),
    ("import struct FirestoreModel.Value", "FirestoreModel"),
    ("// import Foundation", nil),
    ("let important = 1", nil),
  ])
  func `import lines are understood`(line: String, module: String?) {
    #expect(SourceTree.module(importedBy: Substring(line)) == module)
  }
}
