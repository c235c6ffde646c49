import DocumentCodec
import FirestoreModel

/// Fields that a reader wants and index entries hold, so that the documents need not be read.
package struct CoveredFields: Sendable {
  /// The fields whose values are in the positions of entries.
  private let paths: [FieldPath]
  /// The fields that the query fixes, with their values.
  private let fixed: MapValue
  private let all: [FieldPath]

  /// Fields that `QueryPlan.holds`, and others that have one value in all documents of the query.
  package init(_ paths: [FieldPath], fixed: [(path: FieldPath, value: Value)]) {
    self.paths = paths
    all = paths + fixed.map(\.path)
    var values = MapValue()
    for (path, value) in fixed { values.set(value, at: path) }
    self.fixed = values
  }

  /// The fields of a result, from its entry alone unless that had to cut a value.
  func values(of result: QueryResult, orders: [Order]) throws -> DocumentFields {
    var map = fixed
    for path in paths {
      guard let index = result.candidate.position(of: path, orders: orders),
        let value = result.candidate.decodedValue(index)
      else { return try result.document().fields.projected(to: all) }
      map.set(value, at: path)
    }
    return DocumentFields(encoding: map)
  }
}

extension QueryPlan {
  /// True if all documents are found by index entries, and none is read to judge it.
  package var readsEntriesAlone: Bool {
    disjuncts.allSatisfy { disjunct in
      guard case .index = disjunct.source else { return false }
      return !disjunct.checksDocuments
    }
  }

  /// Returns true if the positions of all entries have a field's value.
  package func holds(_ field: FieldPath) -> Bool {
    guard let order = orders.firstIndex(where: { $0.field == field }) else { return false }
    return disjuncts.allSatisfy { disjunct in
      if case .position = disjunct.components[order] { true } else { false }
    }
  }
}
