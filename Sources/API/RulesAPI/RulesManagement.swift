import Access
import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel
import FirestoreWire
import SecurityRules

/// The rules API on a project's rulesets and releases; JSON in, JSON out.
///
/// Calls block.
struct RulesManagement {
  let rules: RulesetStore
  let project: Text

  /// A page of a list; the token is the number of elements before it.
  struct Page {
    let size: Int
    let start: Int
    /// Empty is everything.
    let filter: String

    init(_ query: QueryParameters) throws(ServiceError) {
      let values = Dictionary(
        query.parameters.map { ($0.name, $0.value) },
        uniquingKeysWith: { $1 }
      )
      filter = values["filter"] ?? ""
      let token = values["pageToken"] ?? ""
      guard let start = token.isEmpty ? 0 : Int(token), start >= 0 else {
        throw .invalidArgument("Invalid page token.")
      }
      guard let size = Int(values["pageSize"] ?? "0"), (0...100).contains(size) else {
        throw .invalidArgument("The page size must be between 0 and 100.")
      }
      self.start = start
      self.size = size == 0 ? 10 : size
    }

    /// The page's elements under that name, with the next page's token.
    func json<Element>(
      _ name: String,
      _ all: [Element],
      _ json: (Element) -> JSONValue
    ) -> JSONValue {
      let shown = all.dropFirst(start).prefix(size)
      // Empty too: versions of the Firebase CLI fail without the member.
      var members = [JSONValue.Member(name, .array(shown.map(json)))]
      let end = start + shown.count
      if end < all.count { members.append(.init("nextPageToken", .string("\(end)"))) }
      return .object(members)
    }
  }

  // MARK: Rulesets

  func createRuleset(_ body: JSONValue) throws -> JSONValue {
    let ruleset = try JSONMembers(
      body,
      of: "ruleset",
      known: [
        "source", "name", "createTime", "metadata", "attachmentPoint",
        // As the Firebase CLI spells it for a named database.
        "attachment_point",
      ]
    )
    let created = try rules.create(try Self.files(ruleset["source"]), project: project)
    return created.json(withSource: true)
  }

  func listRulesets(_ page: Page) throws -> JSONValue {
    let filter = try RulesListFilter(page.filter, of: [.name, .createTime])
    let rulesets = try rules.rulesets(of: project).filter(filter.admits)
    return page.json("rulesets", rulesets) { $0.json(withSource: false) }
  }

  func getRuleset(_ id: Text) throws -> JSONValue {
    try rules.ruleset(id, project: project).json(withSource: true)
  }

  func deleteRuleset(_ id: Text) throws -> JSONValue {
    try rules.delete(id, project: project)
    return .object([:])
  }

  // MARK: Releases

  func createRelease(_ body: JSONValue) throws -> JSONValue {
    let (name, ruleset) = try release(body)
    guard let name else { throw ServiceError.invalidArgument("The release has no name.") }
    if try find(name) != nil {
      throw ServiceError(.alreadyExists, "Release \(name.string) already exists.")
    }
    return try rules.release(ruleset, to: try target(name)).json
  }

  func listReleases(_ page: Page) throws -> JSONValue {
    let filter = try RulesListFilter(page.filter, of: [.name, .rulesetName, .testSuiteName])
    return page.json("releases", try rules.releases(of: project).filter(filter.admits)) { $0.json }
  }

  func getRelease(_ name: Text) throws -> JSONValue {
    guard let release = try find(name) else { throw Self.notFound(name) }
    return release.json
  }

  /// Google's projects have their releases from the start, so that clients only update them; here
  /// the first update makes one.
  func updateRelease(_ name: Text, _ body: JSONValue) throws -> JSONValue {
    let update = try JSONMembers(
      body,
      of: "updateReleaseRequest",
      known: ["release", "updateMask"]
    )
    let (named, ruleset) = try release(update["release"] ?? .object([:]))
    guard named == nil || named == name else {
      throw ServiceError.invalidArgument("The release's name does not match the path.")
    }
    return try rules.release(ruleset, to: try target(name)).json
  }

  func deleteRelease(_ name: Text) throws -> JSONValue {
    guard try find(name) != nil else { throw Self.notFound(name) }
    try rules.deleteRelease(try target(name))
    return .object([:])
  }

  private func release(_ json: JSONValue) throws -> (name: Text?, ruleset: Text) {
    let members = try JSONMembers(
      json,
      of: "release",
      known: ["name", "rulesetName", "createTime", "updateTime"]
    )
    guard let ruleset = try members.text("rulesetName") else {
      throw members.invalid("rulesetName", "must name a ruleset")
    }
    let name = try members.text("name").map { try Self.last($0, of: "releases", in: project) }
    return (name, try Self.last(ruleset, of: "rulesets", in: project))
  }

  private func find(_ name: Text) throws -> StoredRelease? {
    try rules.releases(of: project).first { $0.name == name }
  }

  private func target(_ name: Text) throws(ServiceError) -> RulesTarget {
    guard let target = RulesTarget(project: project, releaseName: name) else {
      throw .invalidArgument(
        "The release \(name.string) must be cloud.firestore, cloud.firestore/{database} or "
          + "firebase.storage/{bucket}."
      )
    }
    return target
  }

  /// Returns the part of a name that follows `projects/{project}/{collection}/`.
  private static func last(
    _ name: String,
    of collection: String,
    in project: Text
  ) throws(ServiceError) -> Text {
    let prefix = "projects/\(project.string)/\(collection)/"
    guard name.hasPrefix(prefix), name.utf8.count > prefix.utf8.count else {
      throw .invalidArgument("\"\(name)\" must have the form \(prefix)….")
    }
    return Text(String(name.dropFirst(prefix.count)))
  }

  private static func notFound(_ name: Text) -> ServiceError {
    ServiceError(.notFound, "Release \(name.string) does not exist.")
  }

  // MARK: Tests

  /// Compiles a source and tries the cases on it; issues are a response, not an error.
  func test(_ body: JSONValue, ruleset id: Text?) throws -> JSONValue {
    let request = try JSONMembers(body, of: "testRulesetRequest", known: ["source", "testSuite"])
    let files =
      try id.map { try rules.ruleset($0, project: project).files }
      ?? Self.files(request["source"])
    let now = Timestamp(microseconds: RequestClock.systemTime())
    let suite = try request["testSuite"].map { try RulesTestSuite($0, now: now) }
    let compiled: CompiledRuleset
    do {
      compiled = try RulesetStore.compile(files)
    } catch let error as RulesCompileError {
      return .object(["issues": .array(error.issues.map { $0.json(in: error.source, named: true) })]
      )
    }
    var members: [JSONValue.Member] = []
    if !compiled.warnings.isEmpty {
      let issues = compiled.warnings.map { $0.json(in: compiled.source, named: true) }
      members.append(.init("issues", .array(issues)))
    }
    if let suite {
      let results = try suite.cases.map { try $0.run(on: compiled).json(of: $0, compiled) }
      members.append(.init("testResults", .array(results)))
    }
    return .object(members)
  }

  /// The files of a `source`; one without a name is Firestore's.
  static func files(_ source: JSONValue?) throws -> [RulesetFile] {
    guard let source else { throw ServiceError.invalidArgument("The ruleset has no source.") }
    let members = try JSONMembers(source, of: "source", known: ["files", "language"])
    return try members.array("files").map { file in
      let file = try JSONMembers(file, of: "file", known: ["name", "content", "fingerprint"])
      guard let content = try file.text("content") else {
        throw file.invalid("content", "must be a text")
      }
      return RulesetFile(name: try file.text("name") ?? "firestore.rules", content: content)
    }
  }
}

// MARK: The emulator's

extension RulesManagement {
  private var database: RulesTarget { .firestore(DatabaseID(project: project)) }

  /// Deploys to the project's Firestore; the warnings are the response.
  ///
  /// As in the emulator, rules of other services are taken, and allow nothing.
  func putRules(_ body: JSONValue) throws -> JSONValue {
    let request = try JSONMembers(body, of: "request", known: ["rules", "ignore_errors"])
    let files = try Self.files(request["rules"])
    try rules.deploy(files, to: [database], project: project, allowsOthers: true)
    guard let compiled = rules.current(database)?.compiled, !compiled.warnings.isEmpty else {
      return .object([:])
    }
    return .object([
      "issues": .array(compiled.warnings.map { $0.json(in: compiled.source, named: false) })
    ])
  }

  /// Deploys rules of Storage: each file to the bucket that is its `resource`, or to all buckets.
  func putStorageRules(_ body: JSONValue) throws -> JSONValue {
    let request = try JSONMembers(body, of: "request", known: ["rules"])
    let rules = try JSONMembers(request["rules"] ?? .object([:]), of: "rules", known: ["files"])
    let files = try rules.array("files")
    guard !files.isEmpty else { throw rules.invalid("files", "must contain at least one file") }
    for file in files {
      let file = try JSONMembers(file, of: "file", known: ["name", "content", "resource"])
      guard let content = try file.text("content") else {
        throw file.invalid("content", "must be a text")
      }
      let target = RulesTarget.emulated(try file.text("resource").map { Text($0) })
      let source = RulesetFile(name: try file.text("name") ?? "storage.rules", content: content)
      try self.rules.deploy([source], to: [target], project: target.project)
    }
    return .object(["message": .string("Rules updated successfully")])
  }

  /// The source in force.
  func currentRules() throws -> JSONValue { .object(["rules": Self.rules(try current().source)]) }

  /// The coverage of the rules in force, since they were deployed or the server started.
  func coverage() throws -> JSONValue {
    let ruleset = try current()
    let report = ruleset.coverage?.report(of: ruleset) ?? []
    return .object([
      "rules": Self.rules(ruleset.source),
      "report": .array(report.map { $0.json(in: ruleset.source) }),
    ])
  }

  /// The listing of the coverage as a page.
  func coveragePage() throws -> String {
    let ruleset = try current()
    let report = ruleset.coverage?.report(of: ruleset) ?? []
    let lines = CoverageListing(ruleset, report).lines.map { line in
      let escaped = line.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      let isGap = line.dropFirst(6).hasPrefix("!")
      let isNote = line.hasPrefix("         |")
      let kind = isGap ? "gap" : isNote ? "note" : "line"
      return "<span class=\"\(kind)\">\(escaped)</span>"
    }
    return """
      <!DOCTYPE html>
      <meta charset="utf-8">
      <title>Coverage of the security rules</title>
      <style>
      body { font: 14px/1.5 ui-monospace, monospace; color-scheme: light dark; }
      .gap { font-weight: bold; } .note { opacity: 0.7; }
      </style>
      <pre>
      \(lines.joined(separator: "\n"))
      </pre>

      """
  }

  private func current() throws(ServiceError) -> CompiledRuleset {
    guard let current = rules.current(database) else {
      throw ServiceError(.notFound, "No rules are deployed for project \(project.string).")
    }
    return current.compiled
  }

  private static func rules(_ source: SourceText) -> JSONValue {
    let content = source.text(0..<source.bytes.count)
    return .object([
      "files": .array([
        .object(["name": .string(source.fileName), "content": .string(content)])
      ])
    ])
  }
}

extension StoredRuleset {
  /// The names of the services that the sources declare, in their order, each once.
  private var services: [String] {
    let names = files.flatMap { file in
      RulesParser.parse(SourceText(file.content, fileName: file.name)).file.services.map(\.name)
    }
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  fileprivate func json(withSource: Bool) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", .string("projects/\(project.string)/rulesets/\(id.string)")),
      .init("createTime", .string(createTime.instantText)),
      .init("metadata", .object(["services": .array(services.map(JSONValue.string))])),
    ]
    if withSource {
      let files = files.map { file in
        JSONValue.object(["name": .string(file.name), "content": .string(file.content)])
      }
      members.append(.init("source", .object(["files": .array(files)])))
    }
    return .object(members)
  }
}

extension StoredRelease {
  fileprivate var json: JSONValue {
    let project = project.string
    return .object([
      "name": .string("projects/\(project)/releases/\(name.string)"),
      "rulesetName": .string("projects/\(project)/rulesets/\(rulesetID.string)"),
      "createTime": .string(createTime.instantText), "updateTime": .string(updateTime.instantText),
    ])
  }
}

extension CommitVersion {
  /// The version as an instant's text.
  package var instantText: String {
    let instant = Timestamp(microseconds: microseconds)
    return TimestampText.format(seconds: instant.seconds, nanos: instant.nanos)
  }
}
