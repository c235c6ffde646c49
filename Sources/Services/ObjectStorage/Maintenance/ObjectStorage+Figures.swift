extension ObjectStorage {
  /// What is under way, for the metrics page.
  package var figures: [(name: String, value: Double)] {
    [
      (name: "storage_uploads_open", value: Double(blobsInUse.count)),
      (name: "storage_upload_sessions_in_memory", value: Double(sessions.count)),
    ] + blobs.figures
  }
}
