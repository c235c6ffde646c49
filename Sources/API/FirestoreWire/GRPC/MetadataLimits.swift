import FirestoreModel

/// How much metadata a call may carry.
package struct MetadataLimits: Sendable {
  /// Names, values and 32 bytes for each entry, as HTTP/2 counts a header list.
  package let maximumBytes: Int
  /// Entries.
  package let maximumCount: Int

  /// Limits for all calls; gRPC's usual 8 KiB doubled, since ID tokens are large.
  package init(maximumBytes: Int = 16 * 1024, maximumCount: Int = 128) {
    self.maximumBytes = maximumBytes
    self.maximumCount = maximumCount
  }

  /// What one entry counts.
  package static func size(name: String, value: String) -> Int {
    name.utf8.count + value.utf8.count + 32
  }

  /// Throws RESOURCE_EXHAUSTED when the entries are too many or too large.
  package func check(
    _ entries: some Sequence<(name: String, value: String)>
  ) throws(FirestoreError) {
    var count = 0
    var bytes = 0
    for entry in entries {
      count += 1
      bytes += Self.size(name: entry.name, value: entry.value)
      if count > maximumCount || bytes > maximumBytes {
        throw FirestoreError(
          .resourceExhausted,
          "The request's metadata exceeds \(maximumBytes) bytes or \(maximumCount) entries."
        )
      }
    }
  }
}
