import Foundation
import Testing

/// Nothing reaches the store around the choke point: the registry of databases is named by the engine,
/// by `Access` and where the program is put together, and by nobody else.
struct PermitTests {
  private let tree = SourceTree()

  /// The files that may name the registry; the load tool measures the engine without a server.
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

  /// The files that may pass on a permit's database, and the types that decide on its use there.
  private static let holders = [
    "Sources/Services/FirestoreService/FirestoreService.swift":
      "opens a permit's database for its call",
    "Sources/Services/FirestoreService/Operation/ReadDocuments.swift": "Permit.judgeOfReads",
    "Sources/Services/FirestoreService/Operation/WriteDocuments.swift": "Permit.judgeOfWrites",
    "Sources/Services/FirestoreService/Operation/RunQuery.swift": "Permit.require",
    "Sources/Services/FirestoreService/Operation/PipelineWriter.swift":
      "Permit.requireAdministrator in ExecutePipeline.swift",
    "Sources/Services/FirestoreService/Stream/PipelineStream.swift": "RowJudge, through its run",
    "Sources/Services/Pipelines/Plan/PipelineRun.swift": "RowJudge",
    "Sources/Services/Pipelines/Plan/PipelineStore.swift": "RowJudge",
    "Sources/Services/FirestoreService/Listen/CallerAuthority.swift": "AccessDecision",
    "Sources/Services/FirestoreService/Administration/DocumentAdministration.swift":
      "AdministratorPermit",
    "Sources/Services/FirestoreService/Administration/ImportCommits.swift":
      "AdministratorPermit, in DocumentAdministration.swift",
    "Sources/Services/FirestoreService/Emulator/EmulatorOperations.swift": "AdministratorPermit",
    "Sources/Server/brasa/Control/LocalAdministration+Rules.swift": "AdministratorPermit",
  ]

  @Test func `a permit's database is handed on where what is done with it is judged`() throws {
    let naming = try tree.files(below: "Sources").filter { file in
      let isBelow = Self.allowed.contains { file.hasPrefix($0) }
      // The SDK has a database of its own, and so have Google's messages.
      let isOther = file.hasPrefix("Sources/SDK/") || file.contains("/Generated/")
      return try !isBelow && !isOther && tree.names("Database", in: file)
    }
    #expect(Set(naming) == Set(Self.holders.keys))
  }

  /// Each names the operations of a database that clients reach, and what the same file must name beside.
  private static let judged = [
    ("CommitProposal(", "judgeOfWrites", "WriteDocuments.swift"),
    ("database.batchGet(", "judgeOfReads", "ReadDocuments.swift"),
    ("database.query(", "permit.require(", "RunQuery.swift"),
    ("database.aggregation(", "permit.require(", "RunAggregationQuery.swift"),
    ("database.listDocuments(", "permit.require(", "ListDocuments.swift"),
    ("database.listCollectionIDs(", "permit.requireAdministrator(", "ListDocuments.swift"),
    ("database.partition(", "permit.requireAdministrator(", "ListDocuments.swift"),
    ("database.batchWrite(", "permit.requireAdministrator(", "WriteDocuments.swift"),
  ]

  @Test(arguments: judged)
  func `an operation of clients is made in the one file that judges it`(
    call: String,
    judge: String,
    file: String
  ) throws {
    let folder = "Sources/Services/FirestoreService/"
    let calling = try tree.files(below: folder + "Operation").filter {
      // Pipelines write for administrators alone.
      try !$0.hasSuffix("/PipelineWriter.swift") && tree.text(of: $0).contains(call)
    }
    #expect(calling == [folder + "Operation/" + file])
    for file in calling { #expect(try tree.text(of: file).contains(judge)) }
    #expect(
      try tree.text(of: folder + "Operation/ExecutePipeline.swift")
        .contains("permit.requireAdministrator(")
    )
    for other in ["Stream", "Listen", "WriteStream", "Call", "Admin"] {
      for file in try tree.files(below: folder + other) {
        #expect(try !tree.text(of: file).contains(call), "\(file)")
      }
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
