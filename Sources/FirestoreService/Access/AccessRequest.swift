import FirestoreModel

/// What a call wants to do, as the choke point sees it.
package enum AccessRequest: Sendable {
  /// Reads of single documents.
  case get([DocumentName])
  /// A query, an aggregation over it, a list of one collection.
  case list(DatabaseID, Query)
  /// Writes, judged one by one.
  case write([Write])
  /// Begins or ends a transaction; the reads and writes in it are judged by themselves.
  case transaction(DatabaseID)
  /// What only administrators may do: list collections, missing documents, partitions, batch writes.
  case metadata(DatabaseID, method: String)
  /// The administration API: databases and indexes.
  case administration
}
