import BaseText

/// One generation of an object: everything but its bytes.
package struct StoredObject: Sendable, Hashable {
  /// The state of the generation: the live one of its name, or an older or deleted one.
  package enum State: Sendable, Hashable {
    case live
    /// An older version of a bucket that keeps them, since that time.
    case noncurrent(since: Int64)
    /// Deleted at that time, and there to be restored until the other.
    case softDeleted(at: Int64, until: Int64)
  }

  /// The name of the bucket that has the object.
  package let bucket: BucketName
  /// The name in the bucket, which all generations of it share.
  package let name: ObjectName
  /// Unique in the whole store; that of a later generation is greater.
  package let generation: Int64
  /// Counts changes of the attributes, from 1.
  package var metageneration: Int64
  /// The part of the metadata that clients may change; each change raises `metageneration`.
  package var attributes: ObjectAttributes
  /// Size and checksums of the bytes, which never change.
  package let hashes: ContentHashes
  /// The number of objects it was composed of; nil where it was not.
  package let componentCount: Int?
  /// In microseconds since 1970, as all times.
  package let created: Int64
  /// The last change of the attributes; equal to `created` if there was none.
  package var updated: Int64
  /// Live, noncurrent or soft-deleted, with the times of the change.
  package var state: State
  /// The blob that holds the bytes.
  package let blob: BlobID

  /// True if it is the live generation of the name.
  package var isLive: Bool { state == .live }

  /// The number of bytes.
  package var size: Int64 { hashes.size }

  /// Changes with the content and with the attributes.
  package var entityTag: String {
    Base64.standard(StorageKey.number(generation) + StorageKey.number(metageneration))
  }

  /// The tag of the XML API, which changes with the content alone.
  ///
  /// It is the content's MD5 in hexadecimal digits, or the tag of a multipart upload's parts. Content that was composed has
  /// no MD5; its tag begins with a hyphen, so that no client takes it for one.
  package var contentTag: String {
    if let tag = hashes.partsTag { return tag }
    return hashes.md5.map { Hexadecimal.text($0) } ?? "-" + entityTag
  }

  /// Throws where the object may be neither deleted nor replaced.
  func checkHolds() throws(StorageError) {
    guard attributes.isHeld || attributes.isHeldForEvent else { return }
    throw StorageError(
      .forbidden,
      "Object '\(bucket.text.string)/\(name.text.string)' is under active hold and cannot be "
        + "deleted, overwritten or archived until the hold is removed."
    )
  }
}
