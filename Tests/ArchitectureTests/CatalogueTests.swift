import Foundation
import Testing

/// Every library of the SDK has a DocC catalogue that lists what is public.
struct CatalogueTests {
  private let tree = SourceTree()

  /// The libraries with API of their own; the others hand it on.
  private static let libraries = [
    "FirebaseAnalytics",
    "FirebaseAuth",
    "FirebaseCore",
    "FirebaseFirestore",
    "FirebaseFunctions",
    "FirebaseFunctionsServer",
    "FirebaseInstallations",
    "FirebaseMessaging",
    "FirebaseRemoteConfig",
    "FirebaseSharedSwift",
    "FirebaseStorage",
    "FirebaseUI",
  ]

  private func text(_ path: String) throws -> String {
    try String(contentsOf: tree.root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The types, functions and values that a library's files declare outside of everything else.
  private func declarations(of library: String) throws -> Set<String> {
    let pattern =
      #/(?m)^(?:@\w+ )*public (?:final )?(class|struct|enum|protocol|typealias|func|let) (\w+)/#
    var names: Set<String> = []
    for file in try tree.files(below: "Sources/SDK/\(library)") {
      for match in try text(file).matches(of: pattern) {
        names.insert(match.1 == "func" ? "\(match.2)()" : String(match.2))
      }
    }
    return names
  }

  @Test(arguments: libraries)
  func `a catalogue lists what a library has, and nothing else`(library: String) throws {
    let page = try text("Sources/SDK/\(library)/\(library).docc/\(library).md")
    let topics = try #require(page.components(separatedBy: "\n## Topics\n").last)
    let listed = topics.matches(of: #/(?m)^- ``([^`]+)``$/#).map { String($0.1) }
    #expect(page.hasPrefix("# ``\(library)``\n") && Set(listed).count == listed.count)
    #expect(Set(listed) == (try declarations(of: library)))
  }

  @Test(arguments: [("Firebase", 6), ("FirebaseFirestore", 2)])
  func `the tutorials are there in both languages`(library: String, count: Int) throws {
    let folder = "Sources/SDK/\(library)/\(library).docc"
    let landing = try text("\(folder)/\(library).md")
    let tutorials = landing.matches(of: #/<doc:(\w+)>/#).map { String($0.1) }
    #expect(tutorials.count == count)
    for pair in zip(tutorials.prefix(count / 2), tutorials.suffix(count / 2)) {
      let (english, portuguese) = (
        try text("\(folder)/\(pair.0).md"), try text("\(folder)/\(pair.1).md")
      )
      // A translation has the same samples and headings.
      for mark in ["```swift", "```sh", "\n### ", "\n| "] {
        let counts = [english, portuguese].map { $0.components(separatedBy: mark).count }
        #expect(counts[0] == counts[1], "\(pair.1) lacks something of \(pair.0): \(mark)")
      }
    }
  }
}
