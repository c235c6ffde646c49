import BaseStatus

extension SyncEngine {
  /// Loads a bundle, unless it or a newer one of its id was loaded before.
  func loadBundle(
    _ id: CallbackID,
    _ bytes: [UInt8],
    _ progress: (BundleProgress) -> Void
  ) {
    do {
      let bundle = try Bundle(
        parsing: bytes,
        database: configuration.database,
        progress: progress
      )
      if try !cache.hasBundle(bundle.record) { try load(bundle) }
      effects.append(.bundleLoaded(id, bundle.progress))
    } catch let error as ServiceError {
      effects.append(.bundleFailed(id, FirestoreFailure(error.code, error.message)))
    } catch {
      effects.append(.bundleFailed(id, FirestoreFailure(.unavailable, "Failed to load bundle")))
    }
  }

  private func load(_ bundle: Bundle) throws {
    let documents = try cache.apply(bundle: bundle.record.id, documents: bundle.documents)
    for query in bundle.queries {
      try cache.save(query, matching: bundle.documentsByQuery[query.name] ?? [])
    }
    update(documents)
    try cache.save(bundle.record)
  }
}
