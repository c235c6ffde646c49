import HTTPTypes
import ObjectStorage

/// Entity tags in headers of HTTP: quoted as HTTP has them, or bare as the JSON API's `etag` is.
enum EntityTags {
  /// A tag as a header says it.
  static func header(_ tag: String) -> String { "\"\(tag)\"" }

  /// The tags that a header lists, bare; `*` is any, and weak ones are as good.
  static func list(_ header: String) -> [String] {
    header.split(separator: ",").map { tag in
      let tag = tag.filter { $0 != " " && $0 != "\t" }
      return (tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag).filter { $0 != "\"" }
    }
  }
}

extension HTTPFields {
  /// The tags of which the resource must have one, and the tags of which it must have none; nil is no condition.
  ///
  /// Throws for conditions by date, which only downloads support: a write that ignored one could undo another write.
  func tagConditions(
    isReading: Bool
  ) throws(StorageError) -> (match: [String]?, noneMatch: [String]?) {
    let dates: [HTTPField.Name] =
      isReading ? [.ifUnmodifiedSince] : [.ifUnmodifiedSince, .ifModifiedSince]
    if let date = dates.first(where: { self[$0] != nil }) { throw Self.unsupported(date) }
    return (self[.ifMatch].map(EntityTags.list), self[.ifNoneMatch].map(EntityTags.list))
  }

  /// Throws for conditions of a request that does not support them; a read may ignore those that only save a response.
  func refuseConditions(isReading: Bool) throws(StorageError) {
    let names: [HTTPField.Name] =
      isReading
      ? [.ifMatch, .ifUnmodifiedSince]
      : [.ifMatch, .ifNoneMatch, .ifUnmodifiedSince, .ifModifiedSince]
    if let name = names.first(where: { self[$0] != nil }) { throw Self.unsupported(name) }
  }

  private static func unsupported(_ name: HTTPField.Name) -> StorageError {
    StorageError(.unsupported, "\(name.rawName) is not supported for this request.")
  }
}

extension ObjectPreconditions {
  /// Adds the conditions of a request's headers.
  mutating func add(_ headers: HTTPFields, isReading: Bool) throws(StorageError) {
    (entityTags, notEntityTags) = try headers.tagConditions(isReading: isReading)
  }

  /// Returns true if the reader has the object already; throws `conditionNotMet` if the read is not to be done.
  func isKnown(_ object: StoredObject) throws(StorageError) -> Bool {
    do {
      try checkRead(object)
      return false
    } catch {
      guard error.code == .notModified else { throw error }
      return true
    }
  }
}

extension BucketPreconditions {
  /// Returns true if the reader has the bucket already; throws `conditionNotMet` if the read is not to be done.
  func isKnown(_ bucket: StoredBucket) throws(StorageError) -> Bool {
    do {
      try checkRead(bucket)
      return false
    } catch {
      guard error.code == .notModified else { throw error }
      return true
    }
  }
}

extension StorageCall {
  private var isReading: Bool { request.method == .get || request.method == .head }

  /// The preconditions on the object that a request is about: those of its query and of its headers.
  func preconditions() throws(StorageError) -> ObjectPreconditions {
    var conditions = try query.preconditions()
    try conditions.add(request.headers, isReading: isReading)
    return conditions
  }

  /// The preconditions on the bucket that a request is about.
  func bucketPreconditions() throws(StorageError) -> BucketPreconditions {
    var conditions = BucketPreconditions()
    conditions.metageneration = try query.integer("ifMetagenerationMatch")
    conditions.notMetageneration = try query.integer("ifMetagenerationNotMatch")
    (conditions.entityTags, conditions.notEntityTags) = try request.headers.tagConditions(
      isReading: isReading
    )
    return conditions
  }

  /// Throws for the conditions of a request that supports none.
  func refuseConditions() throws(StorageError) {
    try request.headers.refuseConditions(isReading: isReading)
  }
}
