import Access
import FirestoreModel
import HTTPTypes
import KeyValueStore
import ObjectStorage
import ServiceModule
import StorageWire

/// Cloud Storage's XML API, in which signed URLs are: the paths are a bucket's and an object's name.
///
///     GET    /{bucket}                        lists objects; with cors the origins of pages that may read,
///                                             with uploads the multipart uploads that are not completed
///     PUT    /{bucket}?cors                   sets those
///     POST   /{bucket}                        stores the file of a form with a signed policy
///     GET    /{bucket}/{object}               the bytes; with uploadId the parts of a multipart upload
///     PUT    /{bucket}/{object}               stores an object, or copies one; with partNumber a part;
///                                             with upload_id bytes of a resumable upload
///     POST   /{bucket}/{object}?uploads       begins a multipart upload; with uploadId completes it
///     POST   /{bucket}/{object}               begins a resumable upload (x-goog-resumable: start)
///     DELETE /{bucket}/{object}               deletes; with uploadId aborts a multipart upload, with upload_id
///                                             cancels a resumable one
///
/// For administrators, and for whoever holds what one has signed. Rules are not asked here.
struct XMLRoutes: Sendable {
  let storage: ObjectStorage
  let access: AccessControl
  let threads: EngineThreads
  let signatures: StorageSignatures
  let signedDownloads = SignedDownloads()

  static let namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

  var routes: [HTTPRoute] {
    let bucket: RoutePattern = "/{bucket}"
    let object: RoutePattern = "/{bucket}/{object=**}"
    return [
      route(.get, bucket, list), route(.put, bucket, configure),
      route(.post, bucket, takesStream: true, postForm),
      reading(object), route(.head, object, head),
      route(.put, object, takesStream: true, put), route(.post, object, post),
      route(.delete, object, delete),
      configured(HTTPRoute(.options, bucket, for: .clients, handler: preflight)),
      configured(HTTPRoute(.options, object, for: .clients, handler: preflight)),
    ]
  }

  /// Reads an object, from memory alone where that has its bytes and knows the URL.
  private func reading(_ object: RoutePattern) -> HTTPRoute {
    var route = route(.get, object, get)
    route.memoryHandler = downloadFromMemory
    return route
  }

  /// A route that keeps to the buckets' configuration of origins and leaves other services' paths alone.
  private func configured(_ route: HTTPRoute) -> HTTPRoute {
    var route = route
    route.decidesOrigins = true
    route.yields = true
    return route
  }

  private func route(
    _ method: HTTPRequest.Method,
    _ pattern: RoutePattern,
    takesStream: Bool = false,
    _ answer: @escaping @Sendable (XMLRequest) async throws -> ServiceResponse
  ) -> HTTPRoute {
    var route = HTTPRoute(method, pattern, for: .clients) { request in
      var response: ServiceResponse
      do {
        response = try await answer(try XMLRequest(request))
      } catch {
        guard let failure = XMLFailure(error) else { throw error }
        response = failure.response
      }
      try await describeOrigins(of: request, &response)
      return response
    }
    route.takesStream = takesStream
    return configured(route)
  }

  // MARK: Buckets

  /// The bucket of a request, which is an administrator's.
  ///
  /// - Returns: The bucket, and the signature of a request that is signed.
  func bucket(
    _ request: XMLRequest
  ) async throws -> (bucket: Bucket, signature: VerifiedSignature?) {
    let name = try request.bucket
    guard let project = try await storage.project(ofBucket: name) else { throw XMLFailure.noBucket }
    let signature = try await threads.run { [signatures] in
      try signatures.requireAdministrator(request)
    }
    return (try await bucket(name, of: project, request), signature)
  }

  func bucket(
    _ name: BucketName,
    of project: Text,
    _ request: XMLRequest
  ) async throws -> Bucket {
    let id = BucketID(project: project, name: name.text)
    let permit = try access.permit(.administrator, id, requestID: request.base.context.requestID)
    return try await storage.bucket(permit)
  }

  // MARK: Objects

  private func get(_ request: XMLRequest) async throws -> ServiceResponse {
    let (bucket, signature) = try await bucket(request)
    if let id = request.parameter("uploadId") { return try await listParts(id, bucket, request) }
    let generation = try request.generation()
    let object = try await bucket.object(
      try request.object,
      generation: generation,
      try request.preconditions()
    )
    var download = ObjectDownload(object, request.base.headers)
    if let signature {
      download.overrides = Self.overrides(request)
      if generation == nil {
        let known = SignedDownloads.Download(
          bucket: bucket.name,
          object: object.name,
          overrides: download.overrides,
          signature: signature
        )
        signedDownloads.keep(known, request.base)
      }
    }
    return try await download.response(bucket, threads)
  }

  /// The bytes of an object that memory has, for a signed URL that was verified before.
  private func downloadFromMemory(_ request: ServiceRequest) throws -> MemoryAnswer? {
    // What pages may read is in the store.
    guard request.headers[.origin] == nil, let known = signedDownloads.download(request),
      signatures.isValid(known.signature)
    else { return nil }
    let found = try storage.objectInMemory(known.object, ofBucket: known.bucket) {
      try access.permit(.administrator, $0, requestID: request.context.requestID)
    }
    guard let found else { return nil }
    var download = ObjectDownload(found.object, request.headers)
    download.overrides = known.overrides
    return try download.answer(of: found)
  }

  /// A route of its own, since a signature is over the method.
  private func head(_ request: XMLRequest) async throws -> ServiceResponse {
    var response = try await get(request)
    response.body = .stream { _ in }
    return response
  }

  /// Headers that whoever signed wants of the answer.
  private static func overrides(_ request: XMLRequest) -> [(name: HTTPField.Name, value: String)] {
    let names: [(String, HTTPField.Name)] = [
      ("response-content-type", .contentType),
      ("response-content-disposition", .contentDisposition),
      ("response-content-encoding", .contentEncoding),
      ("response-content-language", .contentLanguage),
      ("response-cache-control", .cacheControl),
    ]
    return names.compactMap { parameter, field in
      guard let value = request.parameter(parameter), HTTPField.isValidValue(value) else {
        return nil
      }
      return (field, value)
    }
  }

  private func put(_ request: XMLRequest) async throws -> ServiceResponse {
    // The id of a resumable upload is the right to it.
    if let id = request.parameter("upload_id") { return try await resume(id, request) }
    let (bucket, _) = try await bucket(request)
    if let id = request.parameter("uploadId") { return try await putPart(id, bucket, request) }
    if let source = request.header("x-goog-copy-source") ?? request.header("x-amz-copy-source") {
      return try await copy(source, bucket, request)
    }
    let object = try await store(try request.newObject(try request.object), bucket, request)
    var response = ServiceResponse()
    response.describe(object)
    return response
  }

  /// Stores the body, and checks it against a hash that was signed.
  func store(
    _ new: NewObject,
    _ bucket: Bucket,
    _ request: XMLRequest
  ) async throws -> StoredObject {
    var check = try PayloadCheck(request)
    let upload = try await bucket.beginUpload(new)
    do {
      for try await part in request.base.body {
        check.update(part)
        try await upload.write(part)
      }
      try check.finish()
      return try await upload.finish()
    } catch {
      await upload.cancel()
      throw error
    }
  }

  private func copy(
    _ source: String,
    _ bucket: Bucket,
    _ request: XMLRequest
  ) async throws -> ServiceResponse {
    let path = PercentEncoding.decode(source[...]) ?? source
    let parts = path.drop { $0 == "/" }.split(separator: "/", maxSplits: 1)
    guard parts.count == 2 else { throw XMLFailure.invalid("x-goog-copy-source is malformed.") }
    let name = try BucketName(String(parts[0]))
    guard let project = try await storage.project(ofBucket: name) else { throw XMLFailure.noBucket }
    let from = try await self.bucket(name, of: project, request)
    var copy = ObjectCopy(
      try ObjectName(String(parts[1])),
      to: try request.newObject(try request.object)
    )
    copy.target.expected = ExpectedContent()
    let directive =
      request.header("x-goog-metadata-directive") ?? request.header("x-amz-metadata-directive")
    copy.keepsAttributes = directive?.uppercased() != "REPLACE"
    copy.generation = try request.number("x-goog-copy-source-generation")
    copy.sourcePreconditions = try request.preconditions("x-goog-copy-source-if")
    let object = try await from.copy(copy, to: bucket)
    return .xml(
      XMLElement(
        "CopyObjectResult",
        [
          XMLElement("LastModified", FirebaseMetadata.time(object.updated)),
          XMLElement("ETag", "\"\(object.entityTag)\""),
        ]
      )
    )
  }

  private func post(_ request: XMLRequest) async throws -> ServiceResponse {
    let (bucket, _) = try await bucket(request)
    if request.parameter("uploads") != nil { return try await beginParts(bucket, request) }
    if let id = request.parameter("uploadId") { return try await complete(id, bucket, request) }
    guard request.header("x-goog-resumable")?.lowercased() == "start" else {
      throw XMLFailure.notImplemented
    }
    return try await start(bucket, request)
  }

  private func delete(_ request: XMLRequest) async throws -> ServiceResponse {
    if let id = request.parameter("upload_id") { return try await cancel(id, request) }
    let (bucket, _) = try await bucket(request)
    if let id = request.parameter("uploadId") {
      try await abort(id, bucket, request)
    } else {
      try await bucket.delete(
        try request.object,
        generation: try request.generation(),
        try request.preconditions()
      )
    }
    return ServiceResponse(status: .noContent)
  }

  // MARK: Lists

  private func list(_ request: XMLRequest) async throws -> ServiceResponse {
    let (bucket, _) = try await bucket(request)
    if request.parameter("cors") != nil { return try showOriginRules(bucket) }
    if request.parameter("uploads") != nil { return try await listUploads(bucket, request) }
    guard
      request.parameters.allSatisfy({
        Self.listParameters.contains($0.name) || $0.name.hasPrefix("X-")
      })
    else { throw XMLFailure.notImplemented }
    var query = ObjectQuery()
    query.prefix = Text(request.parameter("prefix") ?? "")
    if let delimiter = request.parameter("delimiter"), !delimiter.isEmpty {
      query.delimiter = Text(delimiter)
    }
    if let text = request.parameter("max-keys") {
      guard let number = Int(text), number >= 0 else { throw XMLFailure.invalid("max-keys") }
      query.limit = min(max(number, 1), 1_000)
    }
    if let token = request.parameter("continuation-token"), !token.isEmpty {
      query.token = try ObjectPageToken(token)
    } else if let name = request.parameter("marker") ?? request.parameter("start-after"),
      !name.isEmpty
    {
      // Pages of version 1 go on behind a name, or where the answer said.
      query.token = (try? ObjectPageToken(name)) ?? ObjectPageToken(behind: Text(name), query)
    }
    let page = try await bucket.list(query)
    return .xml(Self.element(page, query, bucket), namespace: Self.namespace)
  }

  private static let listParameters: Set<String> = [
    "prefix", "delimiter", "max-keys", "continuation-token", "marker", "start-after", "list-type",
    "encoding-type",
  ]

  private static func element(
    _ page: ObjectPage,
    _ query: ObjectQuery,
    _ bucket: Bucket
  ) -> XMLElement {
    var elements = [
      XMLElement("Name", bucket.name.text.string), XMLElement("Prefix", query.prefix.string),
      XMLElement("KeyCount", "\(page.objects.count + page.prefixes.count)"),
      XMLElement("MaxKeys", "\(query.limit)"),
      XMLElement("IsTruncated", page.next == nil ? "false" : "true"),
    ]
    if let delimiter = query.delimiter {
      elements.append(XMLElement("Delimiter", delimiter.string))
    }
    if let next = page.next {
      elements.append(XMLElement("NextContinuationToken", next.text))
      elements.append(XMLElement("NextMarker", next.text))
    }
    elements += page.objects.map { object in
      XMLElement(
        "Contents",
        [
          XMLElement("Key", object.name.text.string),
          XMLElement("Generation", "\(object.generation)"),
          XMLElement("MetaGeneration", "\(object.metageneration)"),
          XMLElement("LastModified", FirebaseMetadata.time(object.updated)),
          XMLElement("ETag", "\"\(object.entityTag)\""), XMLElement("Size", "\(object.size)"),
        ]
      )
    }
    elements += page.prefixes.map {
      XMLElement("CommonPrefixes", [XMLElement("Prefix", $0.string)])
    }
    return XMLElement("ListBucketResult", elements)
  }
}

extension ServiceResponse {
  /// Says which object was stored.
  mutating func describe(_ object: StoredObject) {
    headers[.eTag] = "\"\(object.entityTag)\""
    headers[.googGeneration] = String(object.generation)
    headers[.googMetageneration] = String(object.metageneration)
    let hashes = [
      "crc32c=" + Base64.standard(CRC32C.bytes(of: object.hashes.crc32c)),
      object.hashes.md5.map { "md5=" + Base64.standard($0) },
    ]
    headers[.googHash] = hashes.compactMap(\.self).joined(separator: ",")
  }
}
