import FirestoreModel

/// An object of Storage, stored or proposed, as rules see it: `resource` and `request.resource`.
///
/// A member that is nil does not exist for rules; to read it is an error. What a client proposes has no
/// generation, times or etag yet.
package struct StorageResource: Sendable, Equatable {
  package var name: Text
  package var bucket: Text
  package var generation: Int64?
  package var metageneration: Int64?
  /// Bytes.
  package var size: Int64?
  package var timeCreated: Timestamp?
  package var updated: Timestamp?
  /// The digest in Base64.
  package var md5Hash: Text?
  /// The checksum in Base64, its bytes in big-endian order.
  package var crc32c: Text?
  package var etag: Text?
  package var contentType: Text?
  package var contentDisposition: Text?
  package var contentEncoding: Text?
  package var contentLanguage: Text?
  package var cacheControl: Text?
  /// The client's own metadata; rules see an empty map where there is none.
  package var metadata: [Text: Text]
  /// Whether more of it comes to be known, as its size and hashes do with the bytes.
  package var isPartial = false

  /// An object of that name; everything else is set where it is known.
  package init(name: Text, bucket: Text, metadata: [Text: Text] = [:]) {
    self.name = name
    self.bucket = bucket
    self.metadata = metadata
  }

  /// The members by name.
  package var map: RulesMap {
    var members: [Text: RulesValue] = [
      "name": .string(name), "bucket": .string(bucket),
      "metadata": .map(RulesMap(metadata.mapValues(RulesValue.string))),
    ]
    for (key, number) in numbers { members[key] = number.map(RulesValue.integer) }
    for (key, time) in times { members[key] = time.map { .timestamp(RulesTimestamp($0)) } }
    for (key, text) in texts { members[key] = text.map(RulesValue.string) }
    return RulesMap(members, isOpen: isPartial)
  }

  private var numbers: [(Text, Int64?)] {
    [("generation", generation), ("metageneration", metageneration), ("size", size)]
  }

  private var times: [(Text, Timestamp?)] {
    [("timeCreated", timeCreated), ("updated", updated)]
  }

  private var texts: [(Text, Text?)] {
    [
      ("md5Hash", md5Hash), ("crc32c", crc32c), ("etag", etag), ("contentType", contentType),
      ("contentDisposition", contentDisposition), ("contentEncoding", contentEncoding),
      ("contentLanguage", contentLanguage), ("cacheControl", cacheControl),
    ]
  }
}
