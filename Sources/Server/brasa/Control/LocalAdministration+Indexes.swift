import DocumentStore
import FirestoreModel

extension LocalAdministration {
  /// Each composite index with its state, then each override, as a definitions file has them.
  func listIndexes(_ id: DatabaseID, _ output: (AdministrationReply) throws -> Void) throws {
    let set = try permit.existingDatabase(id).indexes.current
    let declared = set.listed
    for index in declared {
      var fields = index.definition.listedFields.map {
        "\($0.path.canonicalString) \(Self.word($0.mode))"
      }
      if let vector = index.definition.vector {
        fields.append("\(vector.path.canonicalString) VECTOR<\(vector.dimension)>")
      }
      let scope = index.definition.scope == .collection ? "collection" : "collection group"
      try output(
        .line(
          "\(index.id)  \(Self.word(index.state))  \(scope) "
            + "\(index.definition.collectionID.string)  (\(fields.joined(separator: ", ")))"
            + (index.definition.isUnique ? "  UNIQUE" : "")
            + (index.definition.density == .sparseAll ? "" : "  \(index.definition.density.name)")
        )
      )
    }
    let overrides = set.overrides.filter { !$0.isReverting }
    for override in overrides {
      let modes = override.indexes.map(Self.words).sorted().joined(separator: ", ")
      try output(
        .line(
          "override  \(override.collectionID.string).\(override.field.canonicalString)  "
            + (modes.isEmpty ? "not indexed" : modes)
        )
      )
    }
    let policies = set.timesToLive
    for policy in policies {
      try output(
        .line(
          "ttl  \(policy.isActive ? "ACTIVE" : "CREATING")  "
            + "\(policy.collectionID.string).\(policy.field.canonicalString)"
            + (policy.offset > 0 ? "  \(policy.offset) s later" : "")
        )
      )
    }
    try output(
      .finished(
        summary: declared.count.counting("index", plural: "indexes") + ", "
          + overrides.count.counting("single-field override")
      )
    )
  }

  /// Declares the file's definitions; builds continue in the background.
  func applyIndexes(
    _ text: String,
    to id: DatabaseID,
    deletingOthers: Bool,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let file = try IndexDefinitionsFile(parsing: text)
    let database = try permit.database(id)
    try database.apply(file, deletingOthers: deletingOthers)
    let building = database.indexes.current.listed.count { $0.state == .creating }
    try output(
      .finished(
        summary: Set(file.indexes).count.counting("index", plural: "indexes") + " and "
          + "\(file.overrides.count.counting("override")) applied, "
          + "\(building) building"
      )
    )
  }

  private static func word(_ mode: IndexFieldMode) -> String {
    switch mode {
    case .ascending: "ASC"
    case .descending: "DESC"
    case .contains: "CONTAINS"
    }
  }

  private static func words(_ single: SingleFieldIndex) -> String {
    word(single.mode) + (single.scope == .collection ? "" : " (collection group)")
  }

  private static func word(_ state: IndexState) -> String {
    switch state {
    case .creating: "CREATING"
    case .ready: "READY"
    case .deleting: "DELETING"
    case .failed: "NEEDS_REPAIR"
    }
  }
}
