import Access
import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel
import ObjectStorage
import RulesAPI
import SecurityRules

extension LocalAdministration {
  /// Stores the file and deploys it; a file that does not compile is refused with every error.
  func deployRules(
    _ file: RulesSource,
    to releases: [String],
    of project: Text,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let targets = try releases.map { name in
      guard let target = RulesTarget(project: project, releaseName: Text(name)) else {
        throw ServiceError.invalidArgument("\(name) is not a release of rules.")
      }
      return target
    }
    do {
      let deployed = try rules.deploy(
        [RulesetFile(name: file.name, content: file.content)],
        to: targets,
        project: project
      )
      for name in releases { try output(.line("\(name)  \(deployed.id.string)")) }
      try output(.finished(summary: "rules deployed for project \(project.string)"))
    } catch let error as RulesCompileError {
      throw ServiceError.invalidArgument(error.message)
    }
  }

  func listRules(of project: Text, _ output: (AdministrationReply) throws -> Void) throws {
    let releases = try rules.releases(of: project)
    for release in releases {
      try output(.line("in force  \(release.name.string)  \(release.rulesetID.string)"))
    }
    let rulesets = try rules.rulesets(of: project)
    for ruleset in rulesets {
      let size = ruleset.files.reduce(0) { $0 + $1.content.utf8.count }
      try output(
        .line("kept  \(ruleset.id.string)  \(ruleset.createTime.instantText)  \(size) bytes")
      )
    }
    try output(
      .finished(
        summary: "\(releases.count.counting("release")), \(rulesets.count.counting("ruleset"))"
      )
    )
  }

  func showRules(
    _ name: String,
    of project: Text,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let release = try rules.releases(of: project).first { $0.name.string == name }
    let ruleset = try rules.ruleset(release?.rulesetID ?? Text(name), project: project)
    for file in ruleset.files {
      for line in file.content.split(separator: "\n", omittingEmptySubsequences: false) {
        try output(.line(String(line)))
      }
    }
    try output(.finished(summary: "ruleset \(ruleset.id.string)"))
  }

  /// Evaluates the request on the stored data, by the deployed rules or those of the request.
  func explainRules(
    _ explanation: RulesExplanation,
    in id: DatabaseID,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let decision =
      if let bucket = explanation.bucket {
        try objectDecision(explanation, in: BucketID(project: id.project, name: Text(bucket)))
      } else {
        try explanation.decision(
          by: try ruleset(of: explanation, for: .firestore(id)),
          in: id,
          on: StoredDocuments(database: try permit.database(id))
        )
      }
    for line in decision.report { try output(.line(line)) }
    try output(.finished(summary: decision.isAllowed ? "allowed" : "denied"))
  }

  /// The decision about a request for an object, as it is stored.
  private func objectDecision(
    _ explanation: RulesExplanation,
    in bucket: BucketID
  ) throws -> RulesDecision {
    let stored = explanation.method == "list" ? nil : try storedObject(explanation.path, in: bucket)
    return try explanation.decision(
      by: try ruleset(of: explanation, for: .storage(bucket)),
      in: bucket,
      stored: stored?.resource,
      on: ProjectDocuments(permit: permit, project: bucket.project)
    )
  }

  private func storedObject(_ name: String, in bucket: BucketID) throws -> StoredObject? {
    do {
      return try files.object(
        try ObjectName(name),
        ofBucket: try BucketName(bucket.name.string),
        permit
      )
    } catch let error as StorageError {
      throw ServiceError.invalidArgument(error.message)
    }
  }

  /// The rules that came with a request, or else those in force.
  private func ruleset(
    of explanation: RulesExplanation,
    for target: RulesTarget
  ) throws -> CompiledRuleset {
    if let source = explanation.rules {
      return try RulesCompiler.compile(SourceText(source.content, fileName: source.name))
    }
    guard let current = rules.current(target) else {
      throw ServiceError(.notFound, "No rules are deployed for \(target.releaseName.string).")
    }
    return current.compiled
  }
}

/// A database's documents as rules read them, at the time of the read.
struct StoredDocuments: RulesDataSource {
  let database: Database

  func document(at path: ResourcePath) throws -> RulesDocument? {
    try database.get(path).map { record in
      RulesDocument(
        path: ["databases", database.id.database, "documents"] + path.segments,
        data: RulesMap(record.fields)
      )
    }
  }

  func documentAfter(at path: ResourcePath) throws -> RulesDocument? { try document(at: path) }
}
