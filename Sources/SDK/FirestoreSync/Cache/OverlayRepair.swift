import FirestoreModel

/// Computes the overlays of a store's queued batches, for a store that was given batches without them.
package enum OverlayRepair {
  /// Recomputes all overlays of a user's queue.
  package static func run(_ store: any LocalStore, database: DatabaseID, user: UserID) throws {
    let cache = try LocalCache(
      store: store,
      database: database,
      policy: .leastRecentlyUsed,
      user: user
    )
    try cache.transaction(.changeUser) {
      let batches = try store.batches(user: user)
      try cache.recalculateOverlays(
        batches.reduce(into: Set<ResourcePath>()) { $0.formUnion($1.paths) }
      )
    }
  }
}
