import Foundation
import Testing

/// Nothing reaches the store around the choke point: the registry of databases is named by the engine,
/// by `Access` and where the program is put together, and by nobody else.
struct PermitTests {
  private let tree = SourceTree()

  /// Where the registry may be named; the load tool measures the engine without a server.
  private static let allowed = [
    "Sources/Engine/", "Sources/Access/Access/", "Sources/Server/brasa/Composition/",
    "Sources/Server/brasa-load/",
  ]

  @Test func `nothing but the engine, Access and the composition names the store's registry`()
    throws
  {
    let files = try tree.files(below: "Sources")
    let naming = try files.filter { try tree.names("Databases", in: $0) }
    #expect(naming.contains { $0.hasPrefix("Sources/Access/Access/") })
    for file in naming {
      #expect(Self.allowed.contains { file.hasPrefix($0) }, "\(file) names Databases")
    }
  }

  @Test(arguments: [
    ("let databases: Databases", true),
    ("func open(_ store: (Databases) -> Void)", true),
    ("/// The Databases of a store.", false),
    ("let url = \"/v1/Databases\"", false),
    ("try permit.listDatabases()", false),
    ("struct DatabasesCommand {}", false),
  ])
  func `names are told from words that contain them, from comments and from texts`(
    line: String,
    isNamed: Bool
  ) {
    #expect(SourceTree.names("Databases", in: Substring(line)) == isNamed)
  }
}
