extension ObjectStorage {
  /// The gauges of work in flight, for the metrics page.
  package var figures: [(name: String, value: Double)] {
    let found = gauges.withLock { $0 }
    return [
      (name: "storage_uploads_open", value: Double(blobsInUse.count)),
      (name: "storage_upload_sessions_in_memory", value: Double(sessions.count)),
      (name: "storage_upload_bytes_hashed_again_total", value: Double(uploadHashes.computedAgain)),
      (name: "storage_unfinished_uploads", value: Double(found.unfinished.count)),
      (name: "storage_unfinished_upload_bytes", value: Double(found.unfinished.bytes)),
    ] + (found.available.map { [(name: "storage_free_bytes", value: Double($0))] } ?? [])
      + blobs.figures
  }

  /// Looks at what only the store and the disk know.
  func updateGauges() async throws {
    let unfinished = try await read(on: .maintenance) {
      try $0.openUploads(StorageKey.openUploads(""))
    }
    let found = Gauges(unfinished: unfinished, available: try await blobs.availableBytes())
    gauges.withLock { $0 = found }
  }
}

/// The latest figures of the store and the disk.
struct Gauges: Sendable {
  var unfinished = OpenUploads()
  /// Free bytes on the blob store's disk; nil if unknown.
  var available: Int64?
}
