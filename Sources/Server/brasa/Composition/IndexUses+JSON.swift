import BaseJSON
import BaseText
import DocumentStore

extension IndexUses.Report {
  /// The report as the console's page reads it; missing indexes as the admin API takes them.
  var json: JSONValue {
    let used = used.sorted { $0.key < $1.key }.map { id, count in
      JSONValue.object([.init("index", .string(id))] + count.members)
    }
    let missing = missing.map { JSONValue.object($0.index.members + $0.count.members) }
    return .object([
      "since": .number(String(since / 1_000)), "used": .array(used), "missing": .array(missing),
    ])
  }
}

extension IndexUses.Count {
  fileprivate var members: [JSONValue.Member] {
    [
      .init("queries", .number(String(queries))),
      .init("last", .number(String(last / 1_000))),
    ]
  }
}

extension MissingIndex.Kind {
  fileprivate var members: [JSONValue.Member] {
    switch self {
    case .composite(let definition):
      Self.members(
        "composite",
        definition.collectionID,
        definition.scope,
        definition.listedFields
      )
    case .singleField(let collectionID, let field, let index):
      Self.members("field", collectionID, index.scope, [IndexedField(field, index.mode)])
    }
  }

  private static func members(
    _ kind: String,
    _ collectionID: Text,
    _ scope: IndexScope,
    _ fields: [IndexedField]
  ) -> [JSONValue.Member] {
    let parts = fields.map { field in
      let (name, value) =
        switch field.mode {
        case .ascending: ("order", "ASCENDING")
        case .descending: ("order", "DESCENDING")
        case .contains: ("arrayConfig", "CONTAINS")
        }
      return JSONValue.object([
        .init("fieldPath", .string(field.path.canonicalString)),
        .init(name, .string(value)),
      ])
    }
    return [
      .init("kind", .string(kind)),
      .init("collection", .string(collectionID.string)),
      .init(
        "scope",
        .string(scope == .collection ? "COLLECTION" : "COLLECTION_GROUP")
      ), .init("fields", .array(parts)),
    ]
  }
}
