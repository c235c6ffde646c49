import Access
import BaseText
import Checksums
import FirestoreModel
import SecurityRules

/// The object changed between the decision about a write and the write.
struct DecisionOutdated: Error {}

/// The generations that a decision rests on.
struct DecisionBasis: Sendable {
  private let generation: Int64?
  private let metageneration: Int64?

  init(_ object: StoredObject?) {
    generation = object?.generation
    metageneration = object?.metageneration
  }

  /// Throws where the object is another by now.
  func check(_ object: StoredObject?) throws(DecisionOutdated) {
    guard generation == object?.generation, metageneration == object?.metageneration else {
      throw DecisionOutdated()
    }
  }
}

extension Bucket {
  /// Decides if the permit's holder may do something with an object; throws where not.
  ///
  /// The one place that asks: every operation passes here before it shows or changes anything.
  ///
  /// - Parameters:
  ///   - name: The object's name, or the prefix of a list.
  ///   - existing: The object that is there; nil where there is none.
  /// - Returns: The state that the write must find unchanged; nil where no rules were asked.
  func decide(
    _ request: ObjectRequest,
    _ name: Text,
    existing: StoredObject?
  ) async throws -> DecisionBasis? {
    guard !permit.isAdministrator else { return nil }
    if permit.allowsInMemory(request, name, stored: existing?.resource.map) {
      return DecisionBasis(existing)
    }
    try await storage.threads.run { [permit] in
      try permit.require(request, name, stored: existing?.resource)
    }
    return DecisionBasis(existing)
  }

  /// Decides on a write and does it; decides again if the object has changed in between.
  func decided<R: Sendable>(
    _ name: ObjectName,
    _ request: (StoredObject?) throws -> ObjectRequest,
    _ write: (DecisionBasis?) async throws -> R
  ) async throws -> R {
    for _ in 0..<4 {
      let existing = try await storage.look { [stored] in try $0.object(name, in: stored) }
      let basis = try await decide(try request(existing), name.text, existing: existing)
      do {
        return try await write(basis)
      } catch is DecisionOutdated {
        continue
      }
    }
    throw StorageError(.unavailable, "The object changes too often; try again.")
  }

  /// The request to store an object, as rules see it.
  ///
  func storing(
    _ name: ObjectName,
    _ attributes: ObjectAttributes,
    _ hashes: ContentHashes?
  ) -> ObjectRequest {
    .write(StorageResource(self.name, name, attributes, hashes))
  }

  /// The request to store an object before its bytes arrive: rules see the client's statements
  /// about them, and the missing facts are decided at the end.
  func storing(_ new: NewObject) -> ObjectRequest {
    var resource = StorageResource(name, new.name, new.attributes, nil)
    resource.size = new.expected.size ?? new.probableSize
    resource.md5Hash = new.expected.md5.map { Text(Base64.standard($0)) }
    resource.crc32c = new.expected.crc32c.map { Text(Base64.standard(CRC32C.bytes(of: $0))) }
    resource.isPartial = true
    return .write(resource)
  }
}

extension StorageResource {
  /// Describes an object before it is stored, as far as it is known.
  init(
    _ bucket: BucketName,
    _ name: ObjectName,
    _ attributes: ObjectAttributes,
    _ hashes: ContentHashes?
  ) {
    var metadata = attributes.metadata
    metadata[ObjectAttributes.tokensKey] = nil
    self.init(name: name.text, bucket: bucket.text, metadata: metadata)
    size = hashes?.size
    md5Hash = hashes?.md5.map { Text(Base64.standard($0)) }
    crc32c = hashes.map { Text(Base64.standard(CRC32C.bytes(of: $0.crc32c))) }
    contentType = attributes.contentType
    contentDisposition = attributes.contentDisposition
    contentEncoding = attributes.contentEncoding
    contentLanguage = attributes.contentLanguage
    cacheControl = attributes.cacheControl
  }
}

extension StoredObject {
  /// The object as rules see it.
  package var resource: StorageResource {
    var resource = StorageResource(bucket, name, attributes, hashes)
    resource.generation = generation
    resource.metageneration = metageneration
    resource.timeCreated = Timestamp(microseconds: created)
    resource.updated = Timestamp(microseconds: updated)
    resource.etag = Text(entityTag)
    return resource
  }
}
