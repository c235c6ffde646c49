import Access
import BaseJSON
import BaseStatus
import BaseText
import FirestoreWire
import SecurityRules
import ServiceModule

extension ServiceStorage {
  /// The rulesets and releases of all projects.
  ///
  /// An export has the deployed rules: one line for each release, `{"release": "cloud.firestore",
  /// "files": [{"name": "…", "content": "…"}]}`. An import deploys each.
  package static func rules(_ rules: RulesetStore) -> ServiceStorage {
    var storage = ServiceStorage("rules")
    storage.check = { _, tell in
      let seen = try rules.verify { try tell(.difference($0)) }
      return [StorageCount(seen.rulesets, "ruleset"), StorageCount(seen.releases, "release")]
    }
    storage.transfers = [transfer(rules)]
    return storage
  }

  private static func transfer(_ rules: RulesetStore) -> StorageTransfer {
    StorageTransfer("rules") { scope, _, item in
      let project = scope.database.project
      let releases = try rules.releases(of: project)
      for release in releases {
        let ruleset = try rules.ruleset(release.rulesetID, project: project)
        let line = RulesLine(release: release.name.string, files: ruleset.files)
        try item(StorageItem(file: "releases", bytes: line.json.compactBytes))
      }
      return StorageCount(releases.count, "release")
    } import: { scope, next, tell in
      let project = scope.database.project
      var count = 0
      var skipped = 0
      // Called at the end: the other side writes all before it reads.
      var refusals: [String] = []
      while let item = try next() {
        do {
          let line = try RulesLine(try JSONParser.parse(item))
          if try line.isInForce(in: rules, project: project) {
            skipped += 1
          } else {
            try line.deploy(to: rules, project: project)
            count += 1
          }
        } catch let error as RulesLine.Refusal {
          refusals.append(error.message)
        } catch let error as ServiceError where error.code == .invalidArgument {
          refusals.append(error.message)
        }
      }
      for refusal in refusals { try tell(.difference(refusal)) }
      return StorageCount(count, "release", skipped: skipped)
    }
  }
}

/// A release with the source of its ruleset.
private struct RulesLine {
  let release: String
  let files: [RulesetFile]

  init(release: String, files: [RulesetFile]) {
    self.release = release
    self.files = files
  }

  /// Reads a line of an export.
  init(_ json: JSONValue) throws(ServiceError) {
    guard case .string(let release)? = json[["release"]], case .array(let items)? = json[["files"]]
    else { throw .invalidArgument("A line of rules needs a release and files.") }
    self.release = release
    var files: [RulesetFile] = []
    for item in items {
      guard case .string(let name)? = item[["name"]],
        case .string(let content)? = item[["content"]]
      else { throw .invalidArgument("A file of rules needs a name and content.") }
      files.append(RulesetFile(name: name, content: content))
    }
    self.files = files
  }

  var json: JSONValue {
    .object([
      "release": .string(release),
      "files": .array(
        files.map { .object(["name": .string($0.name), "content": .string($0.content)]) }
      ),
    ])
  }

  /// The target of the release; of a default bucket of the project that was exported, that of this one.
  private func target(in project: Text) throws(ServiceError) -> RulesTarget {
    guard let target = RulesTarget(project: project, releaseName: Text(release)) else {
      throw .invalidArgument("\(release) is not a release of rules.")
    }
    guard case .storage(let bucket) = target, let owner = BucketID.owner(ofName: bucket.name)
    else { return target }
    return .storage(BucketID(project: owner, name: bucket.name).moved(to: project))
  }

  func deploy(to rules: RulesetStore, project: Text) throws {
    let target = try target(in: project)
    do {
      try rules.deploy(files, to: [target], project: project)
    } catch let error as RulesCompileError {
      throw Refusal(message: "\(release): \(error.message)")
    }
  }

  /// The reason why rules that do not compile are not put in force.
  struct Refusal: Error {
    let message: String
  }

  /// Returns true if the release has these files already.
  func isInForce(in rules: RulesetStore, project: Text) throws -> Bool {
    let name = try target(in: project).releaseName
    let known = try rules.releases(of: project).first { $0.name == name }
    return try known.map { try rules.ruleset($0.rulesetID, project: project).files == files }
      ?? false
  }
}
