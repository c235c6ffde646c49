import FirestoreModel

extension Database {
  /// Begins to answer a query; the cursor's pulls do the reading.
  ///
  /// Refuses what Firestore refuses of a query. A missing index is refused by the first pull, or by
  /// `plan()`, when the store requires indexes.
  package func query(_ query: Query, consistency: Consistency = .latest) throws -> QueryCursor {
    try self.query(try query.normalized(), consistency: consistency)
  }

  /// The same for a query in normal form.
  package func query(
    _ query: NormalizedQuery,
    consistency: Consistency = .latest
  ) throws -> QueryCursor {
    self.query(query, read: try beginRead(consistency))
  }

  /// The same as part of a reading that has begun.
  ///
  /// - Parameter index: The number of the only index that may serve the query; nil for any. If it
  ///   can't, the plan scans or sorts.
  package func query(
    _ query: NormalizedQuery,
    read: ConsistentRead,
    index: UInt32? = nil
  ) -> QueryCursor {
    QueryCursor(query, read: read, database: self, forcedIndex: index)
  }
}
