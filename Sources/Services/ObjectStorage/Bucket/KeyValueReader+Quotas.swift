import KeyValueStore

extension KeyValueReader {
  /// Throws where a bucket, or all buckets of its project, would hold more than their quotas allow.
  ///
  /// - Parameter more: Bytes that come to those that are there.
  func checkQuotas(
    of bucket: StoredBucket,
    with more: Int64 = 0,
    project projectQuota: Int64?
  ) throws {
    if let quota = bucket.configuration.quotaBytes, try usage(of: bucket).bytes + more > quota {
      throw StorageError(.quotaExceeded, "The bucket's quota of \(quota) bytes is used up.")
    }
    // The bytes of unfinished uploads belong to no project; they count against the uploads' bounds.
    guard let projectQuota, bucket.project != UploadPart.project else { return }
    var bytes = more
    for name in try bucketNames(of: bucket.project, from: "", limit: .max) {
      guard let other = try self.bucket(name) else { continue }
      bytes += try usage(of: other).bytes
    }
    guard bytes > projectQuota else { return }
    throw StorageError(
      .quotaExceeded,
      "The project's quota of \(projectQuota) bytes is used up."
    )
  }
}
