import Access
import BaseText
import HTTPTypes
import ObjectStorage
import ServiceModule
import StorageWire

// Multipart uploads of the XML API: parts that arrive at once and in any order, and become an object when the client
// lists them.
//
// Each part is an object of a bucket that no project has, under the upload's id; so is what the
// object will be. A lifecycle rule of that bucket deletes uploads that are not completed. To
// complete an upload its parts are copied, one after the other, into the object.

extension XMLRoutes {
  /// Begins an upload in parts: the request describes the object; the parts are its bytes.
  func beginParts(_ bucket: Bucket, _ request: XMLRequest) async throws -> ServiceResponse {
    let name = try request.object
    let id = DownloadToken.random().string.filter { $0 != "-" }
    let store = try await partStore(request)
    var marker = NewObject(try PartStore.marker(id))
    marker.attributes = try request.attributes()
    UploadPart.upload.describe(&marker.attributes, of: bucket.stored.project)
    let upload = try await store.beginUpload(marker)
    do {
      try await upload.write(PartStore.target(bucket.name, name))
      _ = try await upload.finish()
    } catch {
      await upload.cancel()
      throw error
    }
    return .xml(
      XMLElement("InitiateMultipartUploadResult", Self.names(bucket, name, id)),
      namespace: Self.namespace
    )
  }

  func putPart(
    _ id: String,
    _ bucket: Bucket,
    _ request: XMLRequest,
    _ signature: VerifiedSignature?
  ) async throws -> ServiceResponse {
    let store = try await partStore(request)
    _ = try await marker(id, bucket, store, request)
    guard let text = request.parameter("partNumber"), let number = Int(text),
      1...PartStore.mostParts ~= number
    else { throw XMLFailure.invalid("partNumber must be 1 to \(PartStore.mostParts).") }
    var part = NewObject(try PartStore.part(id, number))
    UploadPart.part.describe(&part.attributes, of: bucket.stored.project)
    if let source = try CopySource(request) {
      return try await copyPart(source, part, store, request)
    }
    part.expected = try request.expected()
    let (object, checksum) = try await self.store(part, store, request, signature)
    var response = ServiceResponse()
    response.describe(object)
    response.describe(checksum)
    return response
  }

  /// A part whose bytes are those of an object, or a range of them.
  private func copyPart(
    _ source: CopySource,
    _ part: NewObject,
    _ store: Bucket,
    _ request: XMLRequest
  ) async throws -> ServiceResponse {
    let from = try await bucket(of: source, request)
    let object = try await from.object(source.object, generation: source.generation)
    try source.preconditions.check(object)
    let range = try source.range(of: object)
    let content = try await from.content(of: object)
    var part = part
    part.expected.size = Int64(range.count)
    let copied =
      range == 0..<object.size
      ? try await store.upload(part, from: content.checkedParts)
      : try await store.upload(part, from: content.parts(range))
    return .xml(Self.copyResult("CopyPartResult", copied), namespace: Self.namespace)
  }

  func complete(
    _ id: String,
    _ bucket: Bucket,
    _ request: XMLRequest,
    _ signature: VerifiedSignature?
  ) async throws -> ServiceResponse {
    let store = try await partStore(request)
    let marker = try await marker(id, bucket, store, request)
    // A checksum in a header is the object's, not the body's.
    let text = try await request.signedText(upTo: 2 << 20, signature, hasChecksum: false)
    let parts = try await listed(try XMLReader.read(text), id, store)
    var new = NewObject(try request.object, preconditions: try request.writePreconditions())
    new.attributes = marker.attributes
    UploadPart.strip(&new.attributes)
    new.expected.size = parts.reduce(0) { $0 + $1.object.size }
    if let size = try request.number("x-amz-mp-object-size"), size != new.expected.size {
      throw XMLFailure(
        400,
        "InvalidRequest",
        "The size of the parts does not match the announced size."
      )
    }
    new.partsTag = ListedPart.tag(of: parts)
    let object = try await join(
      parts,
      of: store,
      into: try await bucket.beginUpload(new),
      try JoinedChecksums(parts, request)
    )
    try await forget(id, store)
    var response = ServiceResponse.xml(
      XMLElement(
        "CompleteMultipartUploadResult",
        [
          XMLElement("Location", request.base.path), XMLElement("Bucket", bucket.name.text.string),
          XMLElement("Key", object.name.text.string),
          XMLElement("ETag", "\"\(object.contentTag)\""),
        ]
      ),
      namespace: Self.namespace
    )
    response.describe(object)
    response.headers[.contentType] = "application/xml; charset=UTF-8"
    return response
  }

  /// Stores the bytes of parts, one after the other, and checks them against the client's checksums.
  private func join(
    _ parts: [ListedPart],
    of store: Bucket,
    into upload: ObjectUpload,
    _ checksums: JoinedChecksums
  ) async throws -> StoredObject {
    var checksums = checksums
    do {
      for part in parts {
        checksums.begin(part)
        for try await bytes in try await store.content(of: part.object).checkedParts {
          checksums.update(bytes)
          try await upload.write(bytes)
        }
        try checksums.end(part)
      }
      try checksums.finish()
      return try await upload.finish()
    } catch {
      await upload.cancel()
      throw error
    }
  }

  /// The parts that the client lists, in its order, which is that of their numbers.
  private func listed(
    _ body: XMLElement,
    _ id: String,
    _ store: Bucket
  ) async throws -> [ListedPart] {
    guard body.name == "CompleteMultipartUpload" else { throw XMLFailure.malformed }
    var parts: [ListedPart] = []
    var last = 0
    for element in body.all("Part") {
      guard let number = element["PartNumber"].flatMap({ Int($0.text) }),
        number <= PartStore.mostParts
      else { throw XMLFailure.invalid("PartNumber is missing or malformed.") }
      guard number > last else {
        throw XMLFailure(400, "InvalidPartOrder", "The list of parts was not in ascending order.")
      }
      last = number
      let tag = element["ETag"]?.text.filter { $0 != "\"" }
      guard let part = try? await store.object(try PartStore.part(id, number)),
        tag == nil || tag == part.contentTag || tag == part.entityTag
      else { throw ListedPart.invalid(number) }
      parts.append(ListedPart(number, part, element))
    }
    guard !parts.isEmpty else { throw XMLFailure.invalid("There are no parts.") }
    return parts
  }

  func abort(_ id: String, _ bucket: Bucket, _ request: XMLRequest) async throws {
    let store = try await partStore(request)
    _ = try await marker(id, bucket, store, request)
    try await forget(id, store)
  }

  func listParts(
    _ id: String,
    _ bucket: Bucket,
    _ request: XMLRequest
  ) async throws -> ServiceResponse {
    let store = try await partStore(request)
    _ = try await marker(id, bucket, store, request)
    var query = ObjectQuery()
    query.prefix = try PartStore.parts(of: id)
    if let text = request.parameter("max-parts") {
      guard let number = Int(text), number > 0 else { throw XMLFailure.invalid("max-parts") }
      query.limit = min(number, 1_000)
    }
    if let text = request.parameter("part-number-marker"), let number = Int(text), number > 0 {
      query.start = try PartStore.part(id, min(number, PartStore.mostParts) + 1).text
    }
    let page = try await store.list(query)
    var elements = Self.names(bucket, try request.object, id)
    elements.append(XMLElement("IsTruncated", page.next == nil ? "false" : "true"))
    if page.next != nil, let last = page.objects.last {
      elements.append(XMLElement("NextPartNumberMarker", "\(PartStore.number(of: last))"))
    }
    elements += page.objects.map { part in
      XMLElement(
        "Part",
        [
          XMLElement("PartNumber", "\(PartStore.number(of: part))"),
          XMLElement("LastModified", FirebaseMetadata.time(part.updated)),
          XMLElement("ETag", "\"\(part.contentTag)\""), XMLElement("Size", "\(part.size)"),
        ]
      )
    }
    return .xml(XMLElement("ListPartsResult", elements), namespace: Self.namespace)
  }

  private static func names(_ bucket: Bucket, _ name: ObjectName, _ id: String) -> [XMLElement] {
    [
      XMLElement("Bucket", bucket.name.text.string), XMLElement("Key", name.text.string),
      XMLElement("UploadId", id),
    ]
  }

  // MARK: The bucket of parts

  private func partStore(_ request: XMLRequest) async throws -> Bucket {
    if let store = try await existingPartStore() { return store }
    let id = BucketID(project: PartStore.project, name: Text(PartStore.bucket))
    do {
      return try await storage.makeBucket(
        try access.permit(.administrator, id),
        PartStore.configuration
      )
    } catch let error as StorageError where error.code == .conflict {
      return try await bucket(try BucketName(PartStore.bucket), of: PartStore.project, request)
    }
  }

  /// The bucket of parts; nil where no upload was ever begun.
  func existingPartStore() async throws -> Bucket? {
    let name = try BucketName(PartStore.bucket)
    guard try await storage.project(ofBucket: name) == PartStore.project else { return nil }
    let id = BucketID(project: PartStore.project, name: name.text)
    return try await storage.bucket(try access.permit(.administrator, id))
  }

  /// Returns the marker of an upload; throws where there is no such upload of the object.
  private func marker(
    _ id: String,
    _ bucket: Bucket,
    _ store: Bucket,
    _ request: XMLRequest
  ) async throws -> StoredObject {
    guard let name = try? PartStore.marker(id), let marker = try? await store.object(name) else {
      throw XMLFailure.noUpload
    }
    var target: [UInt8] = []
    for try await bytes in try await store.content(of: marker).parts() { target += bytes }
    guard target == PartStore.target(bucket.name, try request.object) else {
      throw XMLFailure.noUpload
    }
    return marker
  }

  func forget(_ id: String, _ store: Bucket) async throws {
    try await store.delete(try PartStore.marker(id))
    var query = ObjectQuery()
    query.prefix = try PartStore.parts(of: id)
    while true {
      let page = try await store.list(query)
      for part in page.objects { try await store.delete(part.name) }
      guard let next = page.next else { return }
      query.token = next
    }
  }
}

/// Names in the bucket of parts.
enum PartStore {
  static let bucket = UploadPart.bucket
  static let project = UploadPart.project
  static let mostParts = 10_000

  /// The settings of the bucket of parts: an upload that is not completed in a week is deleted.
  static var configuration: BucketConfiguration {
    var configuration = BucketConfiguration()
    var rule = LifecycleRule(.delete)
    rule.age = 7
    configuration.lifecycle = [rule]
    return configuration
  }

  static func marker(_ id: String) throws -> ObjectName {
    try ObjectName("\(markers.string)\(try checked(id))")
  }

  /// The prefix of the names of all markers.
  static let markers: Text = "uploads/"

  /// The id of the upload that a marker is of.
  static func upload(of marker: StoredObject) -> String {
    String(marker.name.text.string.dropFirst(markers.string.count))
  }

  static func parts(of id: String) throws -> Text { Text("parts/\(try checked(id))/") }

  static func part(_ id: String, _ number: Int) throws -> ObjectName {
    let digits = String(100_000 + number).dropFirst()
    return try ObjectName("parts/\(try checked(id))/\(digits)")
  }

  static func number(of part: StoredObject) -> Int {
    Int(part.name.text.string.split(separator: "/").last ?? "") ?? 0
  }

  /// The object that an upload is for, as its marker has it.
  static func target(_ bucket: BucketName, _ object: ObjectName) -> [UInt8] {
    Array("\(bucket.text.string)/\(object.text.string)".utf8)
  }

  /// Reads an upload's target from its marker.
  static func target(_ bytes: [UInt8]) throws -> (bucket: BucketName, object: ObjectName) {
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: "/", maxSplits: 1)
    guard parts.count == 2 else { throw XMLFailure.noUpload }
    return (try BucketName(String(parts[0])), try ObjectName(String(parts[1])))
  }

  private static func checked(_ id: String) throws -> String {
    guard id.utf8.count == 32, id.utf8.allSatisfy({ Hexadecimal.digit($0) != nil }) else {
      throw XMLFailure.noUpload
    }
    return id
  }
}
