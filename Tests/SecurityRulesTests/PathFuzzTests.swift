import BaseText
import FirestoreModel
import Foundation
import ModelTestSupport
import Testing

@testable import SecurityRules

/// Tests of the paths to which rules apply, against documents at random paths, and of the depth of
/// an evaluation.
struct PathFuzzTests {
  private struct RandomPaths {
    var source: SeededSource

    mutating func segments(_ count: Int) -> [Text] {
      (0..<count).map { _ in ["a", "b"][Int.random(in: 0..<2, using: &source)] }
    }

    mutating func pattern() -> String {
      let count = Int.random(in: 1...5, using: &source)
      let glob = Int.random(in: 0..<(count * 2), using: &source)
      return (0..<count).map { index in
        if index == glob { return "/{g=**}" }
        return ["/a", "/b", "/{c\(index)}"][Int.random(in: 0..<3, using: &source)]
      }.joined()
    }

    mutating func query() -> Query {
      let parent = ResourcePath(segments(2 * Int.random(in: 0..<3, using: &source)))
      let scopes: [Query.Scope] = [
        .collection("a"), .collectionGroup("a"), .collectionGroup("b"), .children, .descendants,
      ]
      return Query(parent: parent, scope: scopes[Int.random(in: 0..<5, using: &source)])
    }
  }

  @Test(arguments: ["1", "2"])
  func `a proof covers every path that the query ranges over`(version: String) throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    print("seed of the random paths:", seed)
    var random = RandomPaths(source: SeededSource(seed: seed))
    var proven = 0
    for round in 0..<1_500 {
      let pattern = random.pattern()
      guard
        let ruleset = try? compile(
          firestoreRules("match \(pattern) { allow read; }", version: version)
        )
      else { continue }
      for _ in 0..<4 {
        let query = try random.query().normalized()
        let decision = try RulesSession(ruleset, Documents()).prove(
          query,
          database: testDatabase,
          auth: nil,
          time: noon2026
        )
        guard decision.isAllowed else { continue }
        proven += 1
        for _ in 0..<20 {
          let tail = random.segments(2 * Int.random(in: 1..<4, using: &random.source))
          let path = ResourcePath(query.parent.segments + tail)
          guard query.holds(path) else { continue }
          let operation = Operation(method: .get, path: path.string)
          let verdict = try RulesSession(ruleset, Documents())
            .evaluate(operation, in: Documents())
          #expect(
            verdict.isAllowed,
            "seed \(seed), round \(round): \(pattern) \(query.scope) \(path.string)"
          )
        }
      }
    }
    #expect(proven > 50)
  }

  @Test func `the deepest source and evaluation fit a small stack`() throws {
    let depth = 90
    let nested = { (inner: String) in
      String(repeating: "(", count: depth) + inner + String(repeating: ")", count: depth)
    }
    let functions = (0..<10).map { index in
      "function f\(index)(a) { return \(nested(index < 9 ? "f\(index + 1)(a)" : "a == 1")); }"
    }
    let rules = functions.joined(separator: "\n") + "match /q/{id} { allow get: if f0(1); }"
    #if DEBUG
    let stackSize = 4 << 20
    #else
    let stackSize = 512 << 10
    #endif
    let finished = DispatchSemaphore(value: 0)
    let thread = Thread {
      let ruleset = try? compile(firestoreRules(rules))
      let decision = try? ruleset.map {
        try RulesSession($0, Documents())
          .evaluate(Operation(method: .get, path: "q/d0"), in: Documents())
      }
      #expect(decision?.isAllowed == true)
      finished.signal()
    }
    thread.stackSize = stackSize
    thread.start()
    finished.wait()
  }
}
