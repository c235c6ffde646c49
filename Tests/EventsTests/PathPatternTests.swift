import BaseText
import FirestoreModel
import Testing

@testable import Events

/// Patterns of documents' paths, and the automaton of many of them.
@Suite struct PathPatternTests {
  @Test(arguments: [
    ("products/{id}", "products/p1", true), ("products/{id}", "products/p1/notes/n1", false),
    ("products/{id=*}", "products/p1", true), ("{c}/{d}", "a/b", true),
    ("a/{rest=**}", "a/b/c/d", true), ("a/{rest=**}", "b/b/c/d", false),
    ("**", "a/b", true), ("{all=**}/notes/{n}", "a/b/notes/n", true),
    ("{all=**}/notes/{n}", "notes/n", true), ("users/user-{n}", "users/user-7", true),
    ("users/user-{n}", "users/user-", false), ("users/{a}-{b}", "users/x-y-z", true),
    ("users/{a}.json", "users/.json", false), ("a/b", "a/b", true), ("a/b", "a/c", false),
    ("{a}/*/**", "a/b", true), ("/a/{b}", "a/b", true),
  ])
  func `a pattern matches the paths that it means`(
    text: String,
    path: String,
    isMatch: Bool
  ) throws {
    let pattern = try #require(PathPattern(text))
    var automaton = PathAutomaton()
    automaton.insert(pattern, for: try Self.trigger(1, text))
    #expect(automaton.triggers(for: Self.path(path)).isEmpty != isMatch)
  }

  @Test(arguments: ["", "a", "a/{b", "a/b}", "a/{}", "a/x{y=**}", "a//b", "a/{b}/c", "a/{b=x}"])
  func `a text that is no pattern is refused`(text: String) {
    #expect(PathPattern(text) == nil)
  }

  @Test func `many patterns together match as each one alone does`() throws {
    var random = SplitMix(state: 7)
    let words = ["a", "b", "{x}", "{y=*}", "**", "a{z}", "{z}b"]
    for round in 0..<200 {
      var automaton = PathAutomaton()
      var patterns: [(Int64, PathPattern)] = []
      for number in 1...Int64(8) {
        let count = Int.random(in: 1...5, using: &random)
        let text = (0..<count).map { _ in words.randomElement(using: &random) ?? "a" }
          .joined(separator: "/")
        guard let pattern = PathPattern(text) else { continue }
        patterns.append((number, pattern))
        automaton.insert(pattern, for: try Self.trigger(number, text))
      }
      for _ in 0..<20 {
        let count = 2 * Int.random(in: 1...3, using: &random)
        let segments = (0..<count).map { _ in
          Text(["a", "b", "ab", "aab", "c"].randomElement(using: &random) ?? "a")
        }
        let found = automaton.triggers(for: ResourcePath(segments)).map(\.number).sorted()
        let wanted = patterns.filter { Self.matches($0.1.segments[...], segments[...]) }.map(\.0)
        #expect(found == wanted.sorted(), "round \(round): \(segments)")
      }
    }
  }

  /// The plain meaning of a pattern.
  private static func matches(
    _ pattern: ArraySlice<PathPattern.Segment>,
    _ path: ArraySlice<Text>
  ) -> Bool {
    guard let first = pattern.first else { return path.isEmpty }
    if first == .rest {
      return (path.startIndex...path.endIndex).contains {
        matches(pattern.dropFirst(), path[$0...])
      }
    }
    guard let segment = path.first else { return false }
    let fits =
      switch first {
      case .literal(let text): text == segment
      case .mixed(let pieces): PathPattern.matches(pieces, segment)
      case .any, .rest: true
      }
    return fits && matches(pattern.dropFirst(), path.dropFirst())
  }

  static func path(_ text: String) -> ResourcePath {
    ResourcePath(text.split(separator: "/").map { Text(String($0)) })
  }

  static func trigger(_ number: Int64, _ pattern: String) throws -> Trigger {
    var declared = TriggerDeclaration(
      function: "f\(number)",
      eventType: "google.cloud.firestore.document.v1.written"
    )
    declared.pathPatterns["document"] = pattern
    return try Trigger(
      StoredTrigger(
        number: number,
        project: "p",
        codebase: "default",
        name: "f\(number)",
        cause: .event(declared),
        target: nil,
        registered: 0
      )
    )
  }
}

/// A small generator, the same in every run.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
