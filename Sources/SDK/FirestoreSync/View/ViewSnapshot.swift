import FirestoreModel

/// A query's results at one moment, and how they differ from the last one's.
package struct ViewSnapshot: Sendable {
  /// The query whose results these are.
  package let query: ListenQuery
  /// In the query's order.
  package let documents: [CachedDocument]
  /// Removed ones first, then added, then modified and metadata, each in the query's order.
  package let changes: [ViewChange]
  /// True if the server has not confirmed that these are the results.
  package let isFromCache: Bool
  /// The documents with writes that watch has not delivered yet.
  package let pending: Set<ResourcePath>
  /// True if `isFromCache` changed since the last snapshot.
  package let didSyncStateChange: Bool
  /// True if changes that are metadata alone were left out.
  package let excludesMetadataChanges: Bool
  /// True if the cache knows the results from an earlier listener, even if there are none.
  package let hasCachedResults: Bool
  /// The documents of the last snapshot, in the query's order.
  package let oldDocuments: [CachedDocument]

  /// True if a document has writes that watch has not delivered yet.
  package var hasPendingWrites: Bool { !pending.isEmpty }

  /// Returns each change with its document's index before and after it, if changes are made one by
  /// one.
  package func indexedChanges() -> [(change: ViewChange, oldIndex: Int?, newIndex: Int?)] {
    if oldDocuments.isEmpty {
      // All were added, in their order.
      return changes.enumerated().map { (change: $1, oldIndex: nil, newIndex: $0) }
    }
    var positions = ResultPositions(query, oldDocuments, changeCount: changes.count)
    return changes.map { change in
      let oldIndex = positions.remove(change.document.path)
      let newIndex = change.kind == .removed ? nil : positions.insert(change.document)
      return (change, change.kind == .added ? nil : oldIndex, newIndex)
    }
  }

  /// The snapshot as the first of a listener: every document is added.
  func initial(excludingMetadata: Bool) -> ViewSnapshot {
    ViewSnapshot(
      query: query,
      documents: documents,
      changes: documents.map { ViewChange(kind: .added, document: $0) },
      isFromCache: isFromCache,
      pending: pending,
      didSyncStateChange: true,
      excludesMetadataChanges: excludingMetadata,
      hasCachedResults: hasCachedResults,
      oldDocuments: []
    )
  }

  /// The results alone, to begin another listener with: it keeps no earlier state of a document.
  func withoutChanges() -> ViewSnapshot {
    ViewSnapshot(
      query: query,
      documents: documents,
      changes: [],
      isFromCache: isFromCache,
      pending: pending,
      didSyncStateChange: didSyncStateChange,
      excludesMetadataChanges: excludesMetadataChanges,
      hasCachedResults: hasCachedResults,
      oldDocuments: []
    )
  }

  /// The snapshot for a listener that has not received an earlier one, which came right before.
  package func merged(after earlier: ViewSnapshot) -> ViewSnapshot {
    var merged = ViewChangeSet()
    for change in earlier.changes + changes { merged.track(change.kind, change.document) }
    return ViewSnapshot(
      query: query,
      documents: documents,
      changes: merged.ordered(by: query, among: documents),
      isFromCache: isFromCache,
      pending: pending,
      didSyncStateChange: didSyncStateChange || earlier.didSyncStateChange,
      excludesMetadataChanges: excludesMetadataChanges,
      hasCachedResults: hasCachedResults,
      oldDocuments: earlier.oldDocuments
    )
  }

  /// The snapshot without changes of metadata alone.
  func withoutMetadataChanges() -> ViewSnapshot {
    ViewSnapshot(
      query: query,
      documents: documents,
      changes: changes.filter { $0.kind != .metadata },
      isFromCache: isFromCache,
      pending: pending,
      didSyncStateChange: didSyncStateChange,
      excludesMetadataChanges: true,
      hasCachedResults: hasCachedResults,
      oldDocuments: oldDocuments
    )
  }
}
