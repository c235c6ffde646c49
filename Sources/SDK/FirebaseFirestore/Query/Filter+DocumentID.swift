import BaseText
import FirestoreModel

// Tests of the document's id: texts become names of documents below the query's collection.

extension FirestoreModel.Filter {
  /// The filter with the names of documents where the app wrote ids; checks lists on the way.
  func resolved(
    for query: FirestoreModel.Query,
    in firestore: Firestore
  ) throws(QueryProblem) -> FirestoreModel.Filter {
    switch self {
    case .and(let filters): return .and(try Self.resolved(filters, query, firestore))
    case .or(let filters): return .or(try Self.resolved(filters, query, firestore))
    case .unary(let field, _):
      if field.isDocumentName {
        throw QueryProblem(
          "Invalid query. When querying by document ID you must provide a valid document ID."
        )
      }
      return self
    case .field(let field, let operation, let operand):
      try Self.checkList(operation, operand)
      try firestore.check(operand)
      guard field.isDocumentName else { return self }
      return .field(field, operation, try Self.names(operation, operand, query, firestore))
    }
  }

  private static func resolved(
    _ filters: [FirestoreModel.Filter],
    _ query: FirestoreModel.Query,
    _ firestore: Firestore
  ) throws(QueryProblem) -> [FirestoreModel.Filter] {
    var resolved: [FirestoreModel.Filter] = []
    for filter in filters { resolved.append(try filter.resolved(for: query, in: firestore)) }
    return resolved
  }

  private static func checkList(
    _ operation: FieldOperator,
    _ operand: Value
  ) throws(QueryProblem) {
    switch operation {
    case .in, .notIn, .arrayContainsAny:
      guard case .array(let elements) = operand, !elements.isEmpty else {
        throw QueryProblem(
          "Invalid Query. A non-empty array is required for '\(operation)' filters."
        )
      }
    default: break
    }
  }

  private static func names(
    _ operation: FieldOperator,
    _ operand: Value,
    _ query: FirestoreModel.Query,
    _ firestore: Firestore
  ) throws(QueryProblem) -> Value {
    switch (operation, operand) {
    case (.arrayContains, _), (.arrayContainsAny, _):
      throw QueryProblem(
        "Invalid query. You can't perform '\(operation)' queries on document ID since document IDs are "
          + "not arrays."
      )
    case (.in, .array(let elements)), (.notIn, .array(let elements)):
      var names: [Value] = []
      for element in elements { names.append(try query.documentName(element, in: firestore)) }
      return .array(names)
    default: return try query.documentName(operand, in: firestore)
    }
  }
}

extension Firestore {
  /// Throws where an operand has a reference to a document of another database in it.
  func check(_ operand: Value) throws(QueryProblem) {
    switch operand {
    case .reference(let name):
      if let problem = problem(of: name) { throw QueryProblem(problem) }
    case .array(let elements): for element in elements { try check(element) }
    case .map(let map): for entry in map.entries { try check(entry.value) }
    default: break
    }
  }
}

extension FirestoreModel.Query {
  /// The name of a document that the app gave as an id, a path or a reference.
  func documentName(_ value: Value, in firestore: Firestore) throws(QueryProblem) -> Value {
    switch value {
    case .reference: return value
    case .string(let text):
      let path = try documentPath(text.string)
      return .reference(DocumentName(database: firestore.database, path: path))
    default:
      throw QueryProblem(
        "Invalid query. When querying by document ID you must provide a valid string or "
          + "DocumentReference."
      )
    }
  }

  private func documentPath(_ text: String) throws(QueryProblem) -> ResourcePath {
    guard !text.isEmpty else {
      throw QueryProblem(
        "Invalid query. When querying by document ID you must provide a valid document ID, but it was "
          + "an empty string."
      )
    }
    let segments = text.split(separator: "/", omittingEmptySubsequences: false).map {
      Text(String($0))
    }
    switch scope {
    case .collection(let id) where segments.count == 1:
      return parent.appending(id).appending(segments[0])
    case .collection:
      throw QueryProblem(
        "Invalid query. When querying a collection by document ID you must provide a plain document ID, "
          + "but '\(text)' contains a '/' character."
      )
    case .collectionGroup, .children, .descendants:
      guard segments.count.isMultiple(of: 2), !segments.contains(where: \.isEmpty) else {
        throw QueryProblem(
          "Invalid query. When querying a collection group by document ID, the value provided must "
            + "result in a valid document path, but '\(text)' is not because it has an odd number of "
            + "segments."
        )
      }
      return ResourcePath(segments)
    }
  }
}
