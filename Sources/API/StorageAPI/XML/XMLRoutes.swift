import Access
import BaseRuntime
import BaseStatus
import BaseText
import Checksums
import HTTPTypes
import ObjectStorage
import ServiceModule
import StorageWire

/// Cloud Storage's XML API, in which signed URLs are: the paths are a bucket's and an object's name.
///
///     GET    /                                lists a project's buckets, for whoever signs the request
///     GET    /{bucket}                        lists objects; with cors the origins of pages that may read,
///                                             with uploads the multipart uploads that are not completed, with
///                                             versions all generations; XMLRoutes+Settings.swift has what else may be asked for
///     HEAD   /{bucket}                        whether there is such a bucket
///     PUT    /{bucket}                        makes a bucket; with cors or versioning sets those
///     POST   /{bucket}                        stores the file of a form with a signed policy; with delete
///                                             deletes the objects of a list
///     DELETE /{bucket}                        deletes a bucket that is empty
///     GET    /{bucket}/{object}               the bytes; with uploadId the parts of a multipart upload
///     PUT    /{bucket}/{object}               stores an object, or copies one; with partNumber a part;
///                                             with upload_id bytes of a resumable upload
///     POST   /{bucket}/{object}?uploads       begins a multipart upload; with uploadId completes it
///     POST   /{bucket}/{object}               begins a resumable upload (x-goog-resumable: start)
///     DELETE /{bucket}/{object}               deletes; with uploadId aborts a multipart upload, with upload_id
///                                             cancels a resumable one
///
/// `/{bucket}/` is the bucket too. For administrators, and for holders of a signed URL. Rules are
/// not asked here.
struct XMLRoutes: Sendable {
  let storage: ObjectStorage
  let access: AccessControl
  let threads: EngineThreads
  let signatures: StorageSignatures
  let signedDownloads = SignedDownloads()

  typealias Answer = @Sendable (XMLRequest) async throws -> ServiceResponse

  static let namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

  var routes: [HTTPRoute] {
    let bucket: RoutePattern = "/{bucket}"
    let object: RoutePattern = "/{bucket}/{object=**}"
    return [
      route(.get, bucket, list), route(.head, bucket, headBucket),
      route(.put, bucket, configure), route(.post, bucket, takesStream: true, postToBucket),
      route(.delete, bucket, deleteBucket),
      reading(object), route(.head, object, below(headBucket, head)),
      route(.put, object, takesStream: true, below(configure, put)),
      route(.post, object, takesStream: true, below(postToBucket, post)),
      route(.delete, object, below(deleteBucket, delete)),
      configured(HTTPRoute(.options, bucket, for: .clients, handler: preflight)),
      configured(HTTPRoute(.options, object, for: .clients, handler: preflight)),
    ]
  }

  /// Lists buckets for signed requests of the root path, or those that name a project as Google's
  /// clients do.
  var root: RootRoute {
    RootRoute(route(.get, "/", listBuckets), accepts: Self.isForBuckets)
  }

  /// Returns true if a request is signed as only this API understands: it is for a bucket then, also
  /// for one whose name is the first segment of other services' paths, such as `admin`.
  static func isSigned(_ head: HTTPRequest) -> Bool {
    guard isForName(head.path ?? "") else { return false }
    if let scheme = head.headerFields[.authorization]?.prefix(5).uppercased(),
      ["AWS ", "AWS4-", "GOOG1", "GOOG4"].contains(where: scheme.hasPrefix)
    {
      return true
    }
    guard let path = head.path, let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else {
      return false
    }
    let names = path[mark...].dropFirst().split(separator: "&").map { part in
      part.prefix { $0 != "=" }.lowercased()
    }
    if names.contains("x-amz-signature") || names.contains("x-goog-signature") { return true }
    return names.contains("signature")
      && (names.contains("googleaccessid") || names.contains("awsaccesskeyid"))
  }

  /// Returns true if a path begins with what may be a bucket's name: none is as short as `v1`.
  private static func isForName(_ path: String) -> Bool {
    path.utf8.dropFirst().prefix(while: { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") })
      .count > 2
  }

  /// Answers for the bucket where the path has nothing behind its slash.
  private func below(
    _ bucket: @escaping Answer,
    _ object: @escaping Answer
  ) -> Answer {
    { request in
      request.namesBucket ? try await bucket(request) : try await object(request)
    }
  }

  /// Reads an object, from memory alone where that has its bytes and knows the URL.
  private func reading(_ object: RoutePattern) -> HTTPRoute {
    var route = route(.get, object, below(list, get))
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
    _ answer: @escaping Answer
  ) -> HTTPRoute {
    var route = HTTPRoute(method, pattern, for: .clients) { request in
      var response: ServiceResponse
      do {
        let request = try XMLRequest(request)
        try await refuseAbsentService(request)
        response = try await answer(request)
      } catch {
        guard let failure = XMLFailure(error) else { throw error }
        response = failure.response(to: request)
        // A body here would be taken for the next response of the connection.
        if request.method == .head { response.body = .bytes([]) }
      }
      try await describeOrigins(of: request, &response)
      return response
    }
    route.takesStream = takesStream
    return configured(route)
  }

  // MARK: Buckets

  /// The bucket of a request, which is an administrator's; made by a request that writes, where its first use makes it.
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
    guard request.makesNoBucket else { return (try await storage.bucket(permit), signature) }
    let bucket = try await storage.readableBucket(permit)
    // The paths of any service look like a bucket's; a project's default bucket is there by its name.
    guard bucket.stored.isMade || BucketID.project(ofDefault: name.text) == project else {
      throw XMLFailure.noBucket
    }
    return (bucket, signature)
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
    return { [signatures] () throws(ServiceError) in
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
    var response = try await download.response(bucket, threads)
    response.explainFailure()
    if signature?.dialect == .amazon { response.describeChecksum(of: object, request) }
    return response
  }

  /// Returns the dialect in which a response describes an object: that of the request's signature.
  private static func dialect(of signature: VerifiedSignature?) -> ObjectDownload.Dialect {
    signature?.dialect == .amazon ? .amazonXML : .googleXML
  }

  /// The bytes of an object that memory has, for a signed URL that was verified before.
  private func downloadFromMemory(_ request: ServiceRequest) throws -> MemoryAnswer? {
    // The store decides which responses pages may read.
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

  /// Headers that the signer requests for the response.
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
    // Before the bucket, which a request for something else does not make.
    let part = request.parameter("uploadId")
    try request.requireParameters(part == nil ? [] : Parameters.part)
    let (bucket, signature) = try await bucket(request)
    if let part { return try await putPart(part, bucket, request, signature) }
    if let source = try CopySource(request) { return try await copy(source, bucket, request) }
    let new = try request.newObject(try request.object)
    let (object, checksum) = try await store(new, bucket, request, signature)
    var response = ServiceResponse()
    response.describe(object)
    response.describe(checksum)
    return response
  }

  /// Stores the body, and checks it against the hash that was signed and the client's own checksum.
  func store(
    _ new: NewObject,
    _ bucket: Bucket,
    _ request: XMLRequest,
    _ signature: VerifiedSignature?
  ) async throws -> (StoredObject, XMLPayload.Verified?) {
    var payload = try XMLPayload(request, signature)
    let upload = try await bucket.beginUpload(new)
    do {
      for try await part in request.base.body {
        let content = try payload.read(part)
        if !content.isEmpty { try await upload.write(content) }
      }
      let checksum = try payload.finish()
      return (try await upload.finish(), checksum)
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
        XMLElement("ETag", "\"\(object.contentTag)\""),
      ]
    )
  }

  private func post(_ request: XMLRequest) async throws -> ServiceResponse {
    let (bucket, signature) = try await bucket(request)
    if request.parameter("uploads") != nil {
      try request.requireParameters(Parameters.uploads)
      return try await beginParts(bucket, request)
    }
    if let id = request.parameter("uploadId") {
      try request.requireParameters(Parameters.upload)
      return try await complete(id, bucket, request, signature)
    }
    try request.requireParameters([])
    guard request.startsResumableUpload else {
      throw XMLFailure.notImplemented
    }
    return try await start(bucket, signature, request)
  }

  private func delete(_ request: XMLRequest) async throws -> ServiceResponse {
    if let id = request.parameter("upload_id") {
      try request.requireParameters(Parameters.session)
      return try await cancel(id, request)
    }
    let (bucket, signature) = try await bucket(request)
    if let id = request.parameter("uploadId") {
      try request.requireParameters(Parameters.upload)
      try await abort(id, bucket, request)
    } else {
      try request.requireParameters(XMLRequest.generationParameters)
      try await delete(bucket, request, isOfAmazon: signature?.dialect == .amazon)
    }
    return ServiceResponse(status: .noContent)
  }

  /// Deletes an object.
  ///
  /// In S3 a missing one is not an error, unless the request has a precondition.
  private func delete(_ bucket: Bucket, _ request: XMLRequest, isOfAmazon: Bool) async throws {
    let (name, generation) = (try request.object, try request.generation())
    let conditions = try request.writePreconditions()
    do {
      try await bucket.delete(name, generation: generation, conditions)
    } catch let error as StorageError where error.code == .notFound {
      guard isOfAmazon, generation == nil, conditions == ObjectPreconditions() else { throw error }
    }
  }

  /// The parameters with a meaning, by the purpose of a request.
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
  /// Gives a download that failed, of which headers alone tell, the body of an error.
  fileprivate mutating func explainFailure() {
    let failure: XMLFailure
    switch status {
    case .rangeNotSatisfiable: failure = .invalidRange
    case .preconditionFailed: failure = .conditionNotMet
    default: return
    }
    let range = headers[.contentRange]
    self = failure.response
    headers[.contentRange] = range
  }

  /// Says the CRC-32C of a whole object to a client of S3 that wants to verify what it downloads.
  fileprivate mutating func describeChecksum(of object: StoredObject, _ request: XMLRequest) {
    guard request.header("x-amz-checksum-mode")?.uppercased() == "ENABLED", status == .ok,
      headers[.googHash] != nil
    else { return }
    let bytes = CRC32C.bytes(of: object.hashes.crc32c)
    headers[.storage(ChecksumAlgorithm.crc32c.header)] = Base64.standard(bytes)
    headers[.storage("x-amz-checksum-type")] = "FULL_OBJECT"
  }

  /// Says which object was stored.
  mutating func describe(_ object: StoredObject) {
    headers[.eTag] = "\"\(object.contentTag)\""
    headers[.googGeneration] = String(object.generation)
    headers[.googMetageneration] = String(object.metageneration)
    let hashes = [
      "crc32c=" + Base64.standard(CRC32C.bytes(of: object.hashes.crc32c)),
      object.hashes.md5.map { "md5=" + Base64.standard($0) },
    ]
    headers[.googHash] = hashes.compactMap(\.self).joined(separator: ",")
  }
}
