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
///     POST   /{bucket}, /{bucket}/            stores the file of a form with a signed policy
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
      route(.put, object, takesStream: true, put), route(.post, object, takesStream: true, post),
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
    let signature = try await signature(request, for: project)
    let id = BucketID(project: project, name: name.text)
    let permit = try access.permit(
      .administrator,
      id,
      requestID: request.base.context.requestID,
      check: check(of: signature, in: project, request)
    )
    return (try await storage.bucket(permit), signature)
  }

  /// A look at the account of a request: at the key that signed it, or at the one behind its token.
  private func check(
    of signature: VerifiedSignature?,
    in project: Text,
    _ request: XMLRequest
  ) -> BucketPermit.Check? {
    guard let signature else {
      return access.check(of: .administrator, in: project, request.base.context)
    }
    return { [signatures] () throws(FirestoreError) in
      let isInUse =
        switch signature.key {
        // Memory may not know of a secret that is in use; the store does.
        case .secret(_, let accessID): (try? signatures.verifier.secret(accessID)) != nil
        case .account: signatures.verifier.isInUse(signature.key)
        // Development took it on trust: there is no key that could end.
        case .foreign: true
        }
      guard isInUse else { throw AccessControl.denied }
    }
  }

  /// The signature of a request that is an administrator's, nil where it has none; throws unless it reaches a project.
  ///
  /// A shared secret belongs to one project and reaches that project's buckets alone.
  private func signature(
    _ request: XMLRequest,
    for project: Text
  ) async throws -> VerifiedSignature? {
    try await threads.run { [signatures, storage] in
      let signature = try signatures.requireAdministrator(request)
      if case .secret(_, let accessID)? = signature?.key {
        guard try storage.activeHMACKey(accessID)?.project == project else {
          throw AccessControl.denied
        }
      }
      return signature
    }
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
    if let id = request.parameter("uploadId") {
      try request.requireParameters(Parameters.partList)
      return try await listParts(id, bucket, request)
    }
    try request.requireParameters(Parameters.reading)
    let generation = try request.generation()
    let object = try await bucket.object(
      try request.object,
      generation: generation,
      try request.preconditions()
    )
    var download = ObjectDownload(object, request.base.headers, Self.dialect(of: signature))
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

  /// In whose words an answer says what it says of an object: those of whoever signed the request.
  private static func dialect(of signature: VerifiedSignature?) -> ObjectDownload.Dialect {
    signature?.dialect == .amazon ? .amazonXML : .googleXML
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
    var download = ObjectDownload(
      found.object,
      request.headers,
      Self.dialect(of: known.signature)
    )
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
    if let id = request.parameter("upload_id") {
      try request.requireParameters(Parameters.session)
      return try await resume(id, request)
    }
    let (bucket, _) = try await bucket(request)
    if let id = request.parameter("uploadId") {
      try request.requireParameters(Parameters.part)
      return try await putPart(id, bucket, request)
    }
    try request.requireParameters([])
    if let source = try CopySource(request) { return try await copy(source, bucket, request) }
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
    _ source: CopySource,
    _ bucket: Bucket,
    _ request: XMLRequest
  ) async throws -> ServiceResponse {
    guard !source.hasRange else { throw XMLFailure.unsupported("copy-source-range") }
    let from = try await self.bucket(of: source, request)
    var copy = ObjectCopy(source.object, to: try request.newObject(try request.object))
    copy.target.expected = ExpectedContent()
    let directive =
      request.header("x-goog-metadata-directive") ?? request.header("x-amz-metadata-directive")
    copy.keepsAttributes = directive?.uppercased() != "REPLACE"
    copy.generation = source.generation
    copy.sourcePreconditions = source.preconditions
    return .xml(Self.copyResult("CopyObjectResult", try await from.copy(copy, to: bucket)))
  }

  /// The bucket of a copy's source, which a copy does not make.
  func bucket(of source: CopySource, _ request: XMLRequest) async throws -> Bucket {
    guard let project = try await storage.project(ofBucket: source.bucket) else {
      throw XMLFailure.noBucket
    }
    _ = try await signature(request, for: project)
    let id = BucketID(project: project, name: source.bucket.text)
    let permit = try access.permit(.administrator, id, requestID: request.base.context.requestID)
    guard let bucket = try await storage.madeBucket(permit) else { throw XMLFailure.noBucket }
    return bucket
  }

  static func copyResult(_ name: String, _ object: StoredObject) -> XMLElement {
    XMLElement(
      name,
      [
        XMLElement("LastModified", FirebaseMetadata.time(object.updated)),
        XMLElement("ETag", "\"\(object.entityTag)\""),
      ]
    )
  }

  private func post(_ request: XMLRequest) async throws -> ServiceResponse {
    // Google's client for Node has a slash behind the bucket's name.
    if request.base.rest == [""] { return try await postForm(request) }
    let (bucket, signature) = try await bucket(request)
    if request.parameter("uploads") != nil {
      try request.requireParameters(Parameters.uploads)
      return try await beginParts(bucket, request)
    }
    if let id = request.parameter("uploadId") {
      try request.requireParameters(Parameters.upload)
      return try await complete(id, bucket, request)
    }
    try request.requireParameters([])
    guard request.header("x-goog-resumable")?.lowercased() == "start" else {
      throw XMLFailure.notImplemented
    }
    return try await start(bucket, signature, request)
  }

  private func delete(_ request: XMLRequest) async throws -> ServiceResponse {
    if let id = request.parameter("upload_id") {
      try request.requireParameters(Parameters.session)
      return try await cancel(id, request)
    }
    let (bucket, _) = try await bucket(request)
    if let id = request.parameter("uploadId") {
      try request.requireParameters(Parameters.upload)
      try await abort(id, bucket, request)
    } else {
      try request.requireParameters(XMLRequest.generationParameters)
      try await bucket.delete(
        try request.object,
        generation: try request.generation(),
        try request.writePreconditions()
      )
    }
    return ServiceResponse(status: .noContent)
  }

  /// The parameters that mean something, by what a request is for.
  private enum Parameters {
    static let reading = XMLRequest.generationParameters.union([
      "response-content-type", "response-content-disposition", "response-content-encoding",
      "response-content-language", "response-cache-control",
    ])
    static let partList: Set<String> = ["uploadId", "max-parts", "part-number-marker"]
    static let part: Set<String> = ["uploadId", "partNumber"]
    static let upload: Set<String> = ["uploadId"]
    static let uploads: Set<String> = ["uploads"]
    static let session: Set<String> = ["upload_id"]
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
