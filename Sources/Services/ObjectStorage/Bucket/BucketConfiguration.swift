import BaseText

/// The settings of a bucket that an administrator makes.
package struct BucketConfiguration: Sendable, Hashable {
  /// The region that clients gave and see again; it decides nothing here.
  package var location: Text = "US"
  /// The storage class of new objects that name none.
  package var storageClass: Text = "STANDARD"
  /// True if a generation that is replaced or deleted is kept.
  package var isVersioned = false
  /// The time for which deleted objects can be restored; 0 is not at all.
  package var softDeleteSeconds: Int64 = 0
  /// The most bytes that the bucket may hold; nil is no bound.
  package var quotaBytes: Int64?
  /// At most 100 rules, each with a condition; an object is deleted if one of them matches.
  package var lifecycle: [LifecycleRule] = []
  /// The JSON that is kept for the clients, by the name of the field: `cors`, `labels` and such.
  package var documents: [Text: Text] = [:]

  /// A bucket of which nothing is set.
  package init() {}

  /// The settings that remain when a client replaces all that it can set: those that it need not,
  /// or cannot, send.
  package var cleared: BucketConfiguration {
    var configuration = BucketConfiguration()
    configuration.location = location
    configuration.storageClass = storageClass
    configuration.softDeleteSeconds = softDeleteSeconds
    configuration.quotaBytes = quotaBytes
    return configuration
  }

  /// Throws for values that a bucket cannot have.
  func check() throws(StorageError) {
    let isLocation = location.withBytes { bytes in
      (1...64).contains(bytes.count)
        && bytes.allSatisfy { byte in
          UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
            || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "+")
        }
    }
    guard isLocation else {
      throw StorageError(.invalid, "The specified location constraint is not valid.")
    }
    guard softDeleteSeconds == 0 || (604_800...7_776_000).contains(softDeleteSeconds) else {
      throw StorageError(
        .invalid,
        "Soft delete policy retention duration must be 0, or between 7 and 90 days."
      )
    }
    guard lifecycle.count <= 100 else {
      throw StorageError(.invalid, "A bucket can have at most 100 lifecycle rules.")
    }
    for rule in lifecycle { try rule.check() }
    guard quotaBytes ?? 0 >= 0 else { throw StorageError(.invalid, "A quota is negative.") }
    let size = documents.reduce(0) { $0 + $1.key.byteCount + $1.value.byteCount }
    guard size <= 64 << 10 else {
      throw StorageError(.invalid, "The bucket's metadata is larger than 64 KiB.")
    }
  }
}
