import BaseJSON
import BaseStatus
import BaseText
import DocumentCodec
import FirestoreModel
import FirestoreSync

// Reading the values of a case: queries, documents, tokens.

enum SpecValues {
  static let database = DatabaseID(project: "test-project")

  static func path(_ text: String) -> ResourcePath {
    ResourcePath(text.split(separator: "/").map { Text(String($0)) })
  }

  static func name(_ key: String) -> DocumentName {
    DocumentName(database: database, path: path(key))
  }

  static func version(_ json: JSONValue?) -> CommitVersion {
    CommitVersion(microseconds: json?.integer ?? 0)
  }

  static func token(_ json: JSONValue?) -> ResumeToken { Array((json?.string ?? "").utf8) }

  static func targetIDs(_ json: JSONValue?) throws -> [TargetID] {
    try (json?.elements ?? []).map { element in
      guard let id = element.integer else { throw SpecProblem.malformed("a target id") }
      return TargetID(id)
    }
  }

  static func fields(_ json: JSONValue) -> DocumentFields {
    guard case .map(let map) = json.value else { return .empty }
    return DocumentFields(encoding: map)
  }

  /// A document as the server sends it.
  static func document(_ json: JSONValue) throws -> CachedDocument {
    guard let key = json["key"]?.string, let value = json["value"] else {
      throw SpecProblem.malformed("a document")
    }
    return CachedDocument(
      name: name(key),
      content: value == .null ? .missing : .found(fields(value)),
      version: version(json["version"]),
      createTime: version(json["createTime"]),
      mutations: mutations(json["options"])
    )
  }

  private static func mutations(_ json: JSONValue?) -> CachedDocument.Mutations {
    if json?["hasLocalMutations"]?.boolean == true { return .local }
    return json?["hasCommittedMutations"]?.boolean == true ? .committed : .none
  }

  static func query(_ json: JSONValue?) throws -> ListenQuery {
    guard let json else { throw SpecProblem.malformed("a query") }
    guard let text = json.string ?? json["path"]?.string else {
      throw SpecProblem.malformed("a query without a path")
    }
    let path = path(text)
    if path.isDocument, json["collectionGroup"] == nil { return ListenQuery(document: path) }
    var query: Query
    if let group = json["collectionGroup"]?.string {
      query = Query(parent: path, scope: .collectionGroup(Text(group)))
    } else {
      query = Query(parent: path.parent, scope: .collection(path.lastID ?? ""))
    }
    query.filter = try filter(json["filters"])
    query.orders = try orders(json["orderBys"])
    query.limit = (json["limit"]?.integer).map { Int($0) }
    let isLast = json["limitType"]?.string == "LimitToLast"
    return try ListenQuery(query, limitType: isLast ? .last : .first)
  }

  private static func orders(_ json: JSONValue?) throws -> [Order] {
    try (json?.elements ?? []).map { order in
      guard let parts = order.elements, parts.count == 2, let field = parts[0].string else {
        throw SpecProblem.malformed("an order")
      }
      let isDescending = parts[1].string == "desc"
      return Order(try FieldPath(parsing: field), isDescending ? .descending : .ascending)
    }
  }

  private static func filter(_ json: JSONValue?) throws -> Filter? {
    let filters = try (json?.elements ?? []).map { filter in
      guard let parts = filter.elements, parts.count == 3, let field = parts[0].string,
        let comparison = parts[1].string.flatMap({ operators[$0] })
      else { throw SpecProblem.malformed("a filter") }
      let path = try FieldPath(parsing: field)
      switch (comparison, parts[2]) {
      case (.equal, .null): return Filter.unary(path, .isNull)
      case (.notEqual, .null): return Filter.unary(path, .isNotNull)
      default: return Filter.field(path, comparison, parts[2].value)
      }
    }
    return filters.isEmpty ? nil : .and(filters)
  }

  private static let operators: [String: Filter.FieldOperator] = [
    "==": .equal, "!=": .notEqual, "<": .lessThan, "<=": .lessThanOrEqual, ">": .greaterThan,
    ">=": .greaterThanOrEqual, "array-contains": .arrayContains, "in": .in, "not-in": .notIn,
    "array-contains-any": .arrayContainsAny,
  ]

  static func failure(_ json: JSONValue?) throws -> FirestoreFailure {
    guard let code = (json?["code"]?.integer).flatMap({ StatusCode(rawValue: Int($0)) }) else {
      throw SpecProblem.malformed("an error")
    }
    return FirestoreFailure(code, json?["message"]?.string ?? "")
  }

  /// Nil where the bits are malformed, as a client that cannot decode them takes it.
  static func bloomFilter(_ json: JSONValue?) -> BloomFilter? {
    guard let json else { return nil }
    let text = json["bits"]?["bitmap"]?.string ?? ""
    let isStandard = !text.utf8.contains { $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    guard isStandard, let bitmap = Base64.decode(text) else { return nil }
    return BloomFilter(
      bitmap: bitmap,
      padding: Int(json["bits"]?["padding"]?.integer ?? 0),
      hashCount: Int(json["hashCount"]?.integer ?? 0)
    )
  }

  static func set(_ json: JSONValue) throws -> Write {
    guard let parts = json.elements, parts.count == 2, let key = parts[0].string else {
      throw SpecProblem.malformed("a set")
    }
    return Write(name: name(key), operation: .update(fields(parts[1]), mask: nil))
  }

  static func patch(_ json: JSONValue) throws -> Write {
    guard let parts = json.elements, parts.count == 2, let key = parts[0].string,
      let members = parts[1].members
    else { throw SpecProblem.malformed("a patch") }
    var map = MapValue()
    var mask: [FieldPath] = []
    for member in members {
      let path = FieldPath(member.key.split(separator: ".").map { Text(String($0)) })
      mask.append(path)
      if member.value.string != "<DELETE>" { map.set(member.value.value, at: path) }
    }
    return Write(
      name: name(key),
      operation: .update(DocumentFields(encoding: map), mask: FieldMask.reduced(mask)),
      precondition: .exists(true)
    )
  }

  static func delete(_ json: JSONValue) throws -> Write {
    guard let key = json.string else { throw SpecProblem.malformed("a delete") }
    return Write(name: name(key), operation: .delete)
  }
}
