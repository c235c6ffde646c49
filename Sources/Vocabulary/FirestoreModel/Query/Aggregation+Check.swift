import BaseStatus
import BaseText

extension Aggregation {
  /// Checks the aggregations of one query together, and with what the query says of their fields.
  package static func check(
    _ aggregations: [Aggregation],
    of query: Query
  ) throws(ServiceError) {
    try check(aggregations)
    try checkOrders(of: query, for: fields(of: aggregations))
  }

  /// The fields whose values are taken in, sorted.
  ///
  /// A query is ordered by them as if they stood last in its orders; documents without one of them
  /// are no results.
  package static func fields(of aggregations: [Aggregation]) -> [FieldPath] {
    Set(aggregations.compactMap(\.field)).sorted()
  }

  private static func check(_ aggregations: [Aggregation]) throws(ServiceError) {
    if aggregations.isEmpty { throw .invalidArgument("Aggregations can not be empty.") }
    if aggregations.count > Limits.aggregations {
      throw ServiceError(
        .invalidArgument,
        "The maximum number of aggregations allowed in an aggregation query is "
          + "\(Limits.aggregations). Received: \(aggregations.count)",
        reason: ServiceError.Reason("TOO_MANY_AGGREGATIONS")
      )
    }
    var aliases: Set<Text> = []
    for aggregation in aggregations {
      try aggregation.check()
      guard aliases.insert(aggregation.alias).inserted else {
        throw .invalidArgument(
          "Aggregation aliases contain duplicate alias: \(aggregation.alias.string)."
        )
      }
    }
  }

  /// Behind the document's name no order is possible.
  private static func checkOrders(
    of query: Query,
    for fields: [FieldPath]
  ) throws(ServiceError) {
    let explicit = Set(query.orders.map(\.field))
    let added = fields.filter { !explicit.contains($0) }
    guard !added.isEmpty,
      explicit.contains(.documentName) || query.filter?.tests(.documentName) == true
    else { return }
    let names = added.map { $0.segments.map(\.string).joined(separator: ".") }
    throw .invalidArgument(
      "This query requires an index that has fields [\(names.joined(separator: ", "))] after "
        + "__name__ and Firestore does not currently support such an index. Please try the query "
        + "again with additional ordering on those fields."
    )
  }

  /// The field whose values are taken in; nil for counts.
  package var field: FieldPath? {
    switch `operator` {
    case .count: nil
    case .sum(let field), .average(let field): field
    }
  }

  private func check() throws(ServiceError) {
    if let field, field.isDocumentName {
      throw .invalidArgument("Aggregations are not supported for the property: __key__")
    }
    if alias.withBytes(ResourceID.isReserved) {
      throw .invalidArgument("The property.name \"\(alias.string)\" is reserved.")
    }
    if alias.byteCount > Limits.fieldNameSize {
      throw .invalidArgument("The property.name is longer than 1500 bytes.")
    }
    if case .count(let limit?) = `operator`, limit < 0 {
      throw .invalidArgument(
        "The `up_to` value in a COUNT aggregation must be greater than or equal to zero."
      )
    }
  }
}

extension Filter {
  /// Returns true if some condition is on that field.
  fileprivate func tests(_ field: FieldPath) -> Bool {
    switch self {
    case .field(let tested, _, _), .unary(let tested, _): tested == field
    case .and(let filters), .or(let filters): filters.contains { $0.tests(field) }
    }
  }
}
