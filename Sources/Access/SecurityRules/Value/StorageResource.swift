import BaseText
import FirestoreModel

/// An object of Storage, stored or proposed, as rules see it: `resource` and `request.resource`.
///
/// A member that is nil does not exist for rules; to read it is an error. A client's proposal has
/// no generation, times or etag yet.
package struct StorageResource: Sendable, Equatable {
  /// The object's name: the whole path in its bucket.
  package var name: Text
  /// The bucket's name.
  package var bucket: Text
  /// The generation, which rises when the object is replaced.
  package var generation: Int64?
  /// Counts changes of the object's attributes, from 1 for each generation.
  package var metageneration: Int64?
  /// Bytes.
  package var size: Int64?
  /// The time when this generation was made.
  package var timeCreated: Timestamp?
  /// The last change of the attributes; `timeCreated` if there was none.
  package var updated: Timestamp?
  /// The digest in Base64.
  package var md5Hash: Text?
  /// The checksum in Base64, its bytes in big-endian order.
  package var crc32c: Text?
  /// A text that changes with the content and the attributes.
  package var etag: Text?
  /// The media type that the client gave.
  package var contentType: Text?
  /// The header `content-disposition` for downloads.
  package var contentDisposition: Text?
  /// The encoding of the stored bytes, such as `gzip`.
  package var contentEncoding: Text?
  /// The language of the content, such as `de`.
  package var contentLanguage: Text?
  /// The header `cache-control` for downloads.
  package var cacheControl: Text?
  /// The client's own metadata; rules see an empty map where there is none.
  package var metadata: [Text: Text]
  /// True if more of the object will become known, as its size and hashes do with the bytes.
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
