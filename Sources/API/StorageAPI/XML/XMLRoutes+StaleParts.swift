import Access
import ObjectStorage

// The lifecycle rules for incomplete multipart uploads (`AbortIncompleteMultipartUpload`).

extension XMLRoutes {
  /// Aborts the multipart uploads that are named by the lifecycle rules of the buckets that they are for.
  ///
  /// - Parameter now: In microseconds since 1970.
  func abortStaleUploads(now: Int64) async throws {
    guard let store = try await existingPartStore() else { return }
    var query = ObjectQuery()
    query.prefix = PartStore.markers
    while true {
      try Task.checkCancellation()
      let page = try await store.list(query)
      for marker in page.objects { try await abortIfStale(marker, store, now) }
      guard let next = page.next else { return }
      query.token = next
    }
  }

  /// Aborts an upload if it is stale; one that fails does not keep the others.
  private func abortIfStale(_ marker: StoredObject, _ store: Bucket, _ now: Int64) async throws {
    do {
      guard try await isStale(marker, store, now) else { return }
      try await forget(PartStore.upload(of: marker), store)
    } catch let error as CancellationError {
      throw error
    } catch {
      // Its client may have ended it in the meantime.
      guard (error as? StorageError)?.code != .notFound else { return }
      storage.configuration.errorObserver(error)
    }
  }

  private func isStale(_ marker: StoredObject, _ store: Bucket, _ now: Int64) async throws -> Bool {
    var target: [UInt8] = []
    for try await bytes in try await store.content(of: marker).parts() { target += bytes }
    let (bucket, object) = try PartStore.target(target)
    return try await storage.lifecycle(ofBucket: bucket).contains {
      $0.matches(upload: object, begun: marker.created, now: now)
    }
  }
}
