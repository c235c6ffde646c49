import Foundation
import Testing

/// The manifest's graph: layers point downwards, the page shows it as it is, apps link only what iOS 16 has.
///
/// That no file imports what its target does not use is the build's own check
/// (`--explicit-target-dependency-import-check`).
struct ImportTests {
  private let tree = SourceTree()
  private let page = "docs/targets.md"

  private func manifest() throws -> Manifest { Manifest(text: try tree.text(of: "Package.swift")) }

  @Test func `the manifest names every folder of the layers and no other`() throws {
    let named = Dictionary(
      uniqueKeysWithValues: try manifest().targets.map { ($0.name, $0.folder) }
    )
    #expect(named == (try tree.targets()))
  }

  @Test func `targets use their own layer and those below`() throws {
    // The core of Firestore knows Google's messages until its API is apart from it.
    let known: [String: Set<String>] = ["FirestoreService": ["FirestoreWire"]]
    let manifest = try manifest()
    for target in manifest.targets {
      let height = try #require(Manifest.layers.firstIndex(of: target.layer))
      for used in target.ours where !known[target.name, default: []].contains(used) {
        let other = try #require(manifest[used], "\(target.name) uses \(used)")
        let below = try #require(Manifest.layers.firstIndex(of: other.layer))
        let allowed = target.layer == "SDK" ? [0, 1, height].contains(below) : below <= height
        #expect(allowed, "\(target.name) of \(target.layer) uses \(used) of \(other.layer)")
      }
    }
  }

  @Test func `targets use nothing that they do not import`() throws {
    for target in try manifest().targets {
      let imported = Set(try tree.imports(below: target.folder).map(\.module))
      guard !imported.isEmpty else { continue }
      for used in target.ours + target.others {
        #expect(imported.contains(used), "\(target.name) uses \(used) and imports it nowhere")
      }
    }
  }

  /// With `BRASA_WRITE_PAGES=1` the table is written instead.
  @Test func `the page has the table of targets`() throws {
    let text = try tree.text(of: page)
    let lines = try TargetTable.lines(manifest: manifest(), tree: tree, page: text)
    let table = lines.joined(separator: "\n")
    let first = try #require(text.range(of: TargetTable.start))
    let last = try #require(text.range(of: TargetTable.end))
    let range = first.lowerBound..<last.upperBound
    if ProcessInfo.processInfo.environment["BRASA_WRITE_PAGES"] == "1" {
      try text.replacingCharacters(in: range, with: table)
        .write(to: tree.root.appendingPathComponent(page), atomically: true, encoding: .utf8)
    } else {
      let help = "the table is out of date: BRASA_WRITE_PAGES=1 swift test --filter ImportTests"
      #expect(String(text[range]) == table, "\(help)")
    }
    for line in lines {
      #expect(!line.contains(/^\| `[^`]+` \| \|/), "say in the page what this is: \(line)")
    }
  }

  @Test func `what apps link imports nothing that iOS 16 has not`() throws {
    let manifest = try manifest()
    var linked: Set<String> = []
    var open = manifest.targets.filter { $0.layer == "SDK" }
    while let target = open.popLast() {
      guard linked.insert(target.name).inserted else { continue }
      open += target.ours.compactMap { manifest[$0] }
    }
    #expect(linked.isSuperset(of: ["FirestoreModel", "Gzip", "Locking"]))
    for target in manifest.targets where linked.contains(target.name) {
      for line in try tree.imports(below: target.folder) {
        #expect(line.module != "Synchronization", "\(line.file) needs iOS 18")
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
