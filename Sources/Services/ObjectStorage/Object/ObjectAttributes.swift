import BaseText

/// The attributes that a client gives an object beside its bytes, and may change later.
package struct ObjectAttributes: Sendable, Hashable {
  /// The media type; downloads of an object without one are `application/octet-stream`.
  package var contentType: Text?
  /// The header `cache-control` of downloads; nil sends `private, max-age=0`.
  package var cacheControl: Text?
  /// The header `content-disposition` of downloads; nil leaves it to the API.
  package var contentDisposition: Text?
  /// The encoding in which the bytes are stored, such as `gzip`; a download may undo that one.
  package var contentEncoding: Text?
  /// The header `content-language` of downloads; nil sends none.
  package var contentLanguage: Text?
  /// The storage class that clients gave and see again; nil takes the bucket's when the object is written.
  ///
  /// All classes are stored alike.
  package var storageClass: Text?
  /// In microseconds since 1970.
  package var customTime: Int64?
  /// The nanoseconds of the custom time beyond its microsecond, 0 to 999.
  package var customTimeNanos: Int64 = 0
  /// True if the object may not be deleted or replaced until the hold is lifted.
  package var isHeld = false
  /// The same, until an event of the application's.
  package var isHeldForEvent = false
  /// The client's own pairs; Firebase's download tokens are one of them.
  package var metadata: [Text: Text] = [:]

  /// Attributes of which nothing is said.
  package init() {}

  /// The storage class as clients see it; objects of the time before buckets gave them theirs may have none.
  package var shownStorageClass: Text { storageClass ?? "STANDARD" }

  /// Under which name Firebase keeps an object's download tokens.
  package static let tokensKey: Text = "firebaseStorageDownloadTokens"

  /// The tokens with which anybody may download the object; empty where it has none.
  package var downloadTokens: [Text] {
    get {
      let list = metadata[Self.tokensKey]?.string ?? ""
      return list.split(separator: ",").map { Text(String($0)) }
    }
    set {
      let list = newValue.map(\.string).joined(separator: ",")
      metadata[Self.tokensKey] = newValue.isEmpty ? nil : Text(list)
    }
  }

  /// The most that a client's own pairs may take.
  private static let metadataLimit = 8 << 10
  private static let headerLimit = 1 << 10

  /// Throws for a change that takes the custom time back, or away: only a new object can have an earlier one.
  func checkCustomTime(replacing old: ObjectAttributes) throws(StorageError) {
    guard let before = old.customTime else { return }
    guard let customTime, (before, old.customTimeNanos) <= (customTime, customTimeNanos) else {
      throw StorageError(
        .invalid,
        "The custom time of an object cannot be removed or set to an earlier time."
      )
    }
  }

  /// Throws for values that are too large, or cannot be sent as a header.
  func check() throws(StorageError) {
    let size = metadata.reduce(0) { $0 + $1.key.byteCount + $1.value.byteCount }
    guard size <= Self.metadataLimit else {
      throw StorageError(.invalid, "Metadata part is too large: the limit is 8 KiB.")
    }
    let headers = [
      contentType, cacheControl, contentDisposition, contentEncoding, contentLanguage, storageClass,
    ]
    for case let header? in headers {
      let isSound = header.withBytes { $0.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 } }
      guard header.byteCount <= Self.headerLimit, isSound else {
        throw StorageError(.invalid, "Invalid value for a content header.")
      }
    }
  }
}
