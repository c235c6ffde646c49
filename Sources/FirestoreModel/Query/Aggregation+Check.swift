extension Aggregation {
  /// Checks the aggregations of one query together.
  package static func check(_ aggregations: [Aggregation]) throws(FirestoreError) {
    if aggregations.isEmpty { throw .invalidArgument("Aggregations can not be empty.") }
    if aggregations.count > Limits.aggregations {
      throw FirestoreError(
        .invalidArgument,
        "The maximum number of aggregations allowed in an aggregation query is "
          + "\(Limits.aggregations). Received: \(aggregations.count)",
        reason: FirestoreError.Reason("TOO_MANY_AGGREGATIONS")
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

  private func check() throws(FirestoreError) {
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
