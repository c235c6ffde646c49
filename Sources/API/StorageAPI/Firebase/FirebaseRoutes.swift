import Access
import BaseJSON
import BaseRuntime
import BaseStatus
import BaseText
import HTTPTypes
import ObjectStorage
import ServiceModule
import StorageWire

/// Cloud Storage as Firebase's clients know it: `firebasestorage.googleapis.com/v0`.
///
///     GET    /v0/b/{bucket}/o              lists names below a prefix
///     POST   /v0/b/{bucket}/o, …/o/        uploads: whole, with metadata, or the requests of a resumable upload
///     PUT    /v0/b/{bucket}/o              chunks of a resumable upload, as iOS sends them
///     GET    /v0/b/{bucket}/o/{object}     metadata, or with alt=media the bytes
///     POST   /v0/b/{bucket}/o/{object}     uploads, makes and takes back download tokens
///     PUT    /v0/b/{bucket}/o/{object}     chunks
///     PATCH  /v0/b/{bucket}/o/{object}     changes metadata
///     DELETE /v0/b/{bucket}/o/{object}
///
/// An object's name is one segment of the path, its slashes encoded. Rules decide for all callers
/// except administrators and holders of a download token.
struct FirebaseRoutes: Sendable {
  let storage: ObjectStorage
  let access: AccessControl
  let threads: EngineThreads

  /// Google's name for the service.
  static let host = "firebasestorage.googleapis.com"

  var routes: [HTTPRoute] {
    let bucket: RoutePattern = "/v0/b/{bucket}/o"
    let object: RoutePattern = "/v0/b/{bucket}/o/{object}"
    return [
      route(.get, "/v0", "READ") { _ in .json(Array(#"{"emulator":"storage"}"#.utf8)) },
      route(.get, bucket, "LIST", list), route(.post, bucket, "WRITE", takesStream: true, post),
      route(.put, bucket, "WRITE", takesStream: true, post),
      // Some clients have a slash before the parameters.
      route(.get, "/v0/b/{bucket}/o/", "LIST", list),
      route(.post, "/v0/b/{bucket}/o/", "WRITE", takesStream: true, post), reading(object),
      route(.post, object, "WRITE", takesStream: true, post),
      route(.put, object, "WRITE", takesStream: true, post),
      route(.patch, object, "WRITE", patch), route(.delete, object, "WRITE", delete),
    ]
  }

  /// Reads an object, from memory alone where that has its bytes.
  private func reading(_ object: RoutePattern) -> HTTPRoute {
    var route = route(.get, object, "READ", get)
    route.memoryHandler = { request in try download(try FirebaseRequest(request)) }
    return route
  }

  /// A route whose errors are this dialect's.
  private func route(
    _ method: HTTPRequest.Method,
    _ pattern: RoutePattern,
    _ permission: String,
    takesStream: Bool = false,
    _ answer: @escaping @Sendable (FirebaseRequest) async throws -> ServiceResponse
  ) -> HTTPRoute {
    var route = HTTPRoute(method, pattern, for: .clients) { request in
      var response: ServiceResponse
      do {
        response = try await answer(try FirebaseRequest(request))
      } catch {
        guard let failure = FirebaseFailure(error, permission: permission) else { throw error }
        response = failure.response
      }
      response.headers[.accessControlExposeHeaders] = Self.exposedHeaders
      return response
    }
    route.takesStream = takesStream
    return route.openToViewers()
  }

  /// The headers of a response that pages may read.
  static let exposedHeaders = [
    "X-Goog-Upload-URL", "X-Goog-Upload-Status", "X-Goog-Upload-Size-Received",
    "X-Goog-Upload-Chunk-Granularity", "X-Goog-Upload-Control-URL", "X-GUploader-UploadID",
    "X-Goog-Hash", "X-Goog-Generation", "X-Goog-Metageneration", "Content-Type", "Content-Length",
    "Content-Range", "Content-Disposition", "Content-Encoding", "ETag", "Range",
  ].joined(separator: ", ")

  // MARK: Buckets

  /// Identifies the caller; waits for the disk where a token is new.
  func caller(_ request: FirebaseRequest) async throws -> Caller {
    let context = request.base.context
    if let known = try access.identifyInMemory(context) { return known }
    return try await threads.run { [access] in try access.identify(context) }
  }

  /// The bucket of a request for its caller.
  func bucket(_ request: FirebaseRequest) async throws -> Bucket {
    try await bucket(request.bucket, of: try await caller(request), request)
  }

  /// A bucket for a caller; a missing one is denied to callers that may not create it.
  func bucket(
    _ name: BucketName,
    of caller: Caller,
    _ request: FirebaseRequest
  ) async throws -> Bucket {
    guard let project = try await storage.project(ofBucket: name) else {
      throw FirebaseFailure.notFound
    }
    let (id, context) = (BucketID(project: project, name: name.text), request.base.context)
    let permit = try access.permit(
      caller,
      id,
      requestID: context.requestID,
      check: access.check(of: caller, in: project, context)
    )
    // Reading creates no bucket, nor does deleting a missing object.
    guard ![.get, .head, .delete].contains(request.base.method) else {
      return try await storage.readableBucket(permit)
    }
    return try await storage.bucket(permit)
  }

  // MARK: Objects

  private func get(_ request: FirebaseRequest) async throws -> ServiceResponse {
    let name = try request.objectName()
    let (bucket, object) = try await readable(name, request)
    if request.parameter("alt") == "media" {
      guard try !request.queryPreconditions().isKnown(object) else {
        return Self.unmodified(object)
      }
      return try await ObjectDownload(object, request.base.headers, .firebase)
        .response(bucket, threads)
    }
    let shown =
      object.attributes.downloadTokens.isEmpty ? try await tokened(object, request) : object
    guard try !request.preconditions().isKnown(shown) else { return Self.unmodified(shown) }
    return Self.answer(shown)
  }

  /// The response with an object's metadata.
  static func answer(_ object: StoredObject) -> ServiceResponse {
    var response = ServiceResponse.json(Array(FirebaseMetadata.json(object).compact.utf8))
    response.headers[.eTag] = EntityTags.header(object.entityTag)
    return response
  }

  /// The response to a client that has the object already.
  private static func unmodified(_ object: StoredObject) -> ServiceResponse {
    ServiceResponse(
      status: .notModified,
      headers: [.eTag: EntityTags.header(object.entityTag)]
    )
  }

  /// The bytes of an object in memory, for a holder of its download token or a known caller.
  private func download(_ request: FirebaseRequest) throws -> MemoryAnswer? {
    guard request.parameter("alt") == "media",
      try request.queryPreconditions() == ObjectPreconditions(),
      let found = try readableInMemory(request)
    else { return nil }
    return try ObjectDownload(found.object, request.base.headers, .firebase).answer(of: found)
  }

  /// As `readable`, from memory alone; nil where that does not say yes.
  private func readableInMemory(_ request: FirebaseRequest) throws -> RememberedObject? {
    let (name, context) = (try request.objectName(), request.base.context)
    if let token = request.parameter("token"), !token.isEmpty {
      let found = try storage.objectInMemory(name, ofBucket: try request.bucket) {
        try access.permit(.administrator, $0, requestID: context.requestID)
      }
      guard let found, DownloadToken.isOne(of: found.object.attributes.downloadTokens, token)
      else { return nil }
      return found
    }
    guard let caller = try access.identifyInMemory(context) else { return nil }
    return try storage.objectInMemory(name, ofBucket: try request.bucket) {
      try access.permit(caller, $0, requestID: context.requestID)
    }
  }

  /// The object of a request, where its download token or else the rules allow to read it.
  private func readable(
    _ name: ObjectName,
    _ request: FirebaseRequest
  ) async throws -> (Bucket, StoredObject) {
    if let token = request.parameter("token"), !token.isEmpty,
      let bucket = try await tokensBucket(request), let object = try? await bucket.object(name),
      DownloadToken.isOne(of: object.attributes.downloadTokens, token)
    {
      return (bucket, object)
    }
    let bucket = try await bucket(request)
    return (bucket, try await bucket.object(name))
  }

  /// The bucket of a request with a token, which may be anybody's: none is made for it, nil where there is none.
  private func tokensBucket(_ request: FirebaseRequest) async throws -> Bucket? {
    let name = try request.bucket
    guard let project = try await storage.project(ofBucket: name) else { return nil }
    let id = BucketID(project: project, name: name.text)
    let context = request.base.context
    return try await storage.madeBucket(
      try access.permit(.administrator, id, requestID: context.requestID)
    )
  }

  /// An object that came by another way gets its token when a client first asks for its metadata.
  private func tokened(
    _ object: StoredObject,
    _ request: FirebaseRequest
  ) async throws -> StoredObject {
    let bucket = try await bucket(request.bucket, of: .administrator, request)
    return try await bucket.update(object.name) { attributes in
      if attributes.downloadTokens.isEmpty { attributes.downloadTokens = [DownloadToken.random()] }
    }
  }

  private func patch(_ request: FirebaseRequest) async throws -> ServiceResponse {
    let name = try request.objectName()
    let json = try FirebaseMetadata.parse(try await request.metadataBody())
    let bucket = try await bucket(request)
    let object = try await bucket.update(name, generation: nil, try request.preconditions()) {
      try FirebaseMetadata.apply(json, to: &$0)
    }
    return Self.answer(object)
  }

  private func delete(_ request: FirebaseRequest) async throws -> ServiceResponse {
    let name = try request.objectName()
    try await bucket(request).delete(name, generation: nil, try request.preconditions())
    return ServiceResponse(status: .noContent)
  }

  /// Handles a POST or PUT, whose headers and parameters decide its meaning.
  private func post(_ request: FirebaseRequest) async throws -> ServiceResponse {
    if request.header("x-http-method-override")?.uppercased() == "PATCH" {
      return try await patch(request)
    }
    if request.parameter("create_token") != nil || request.parameter("delete_token") != nil {
      return try await changeTokens(request)
    }
    return try await upload(request)
  }

  /// The bucket of a request about download tokens, which only administrators make; any other credentials are denied.
  private func bucketForTokens(_ request: FirebaseRequest) async throws -> Bucket {
    let denied = FirebaseFailure(status: 403, message: "Missing admin credentials.")
    let caller: Caller
    do {
      caller = try await self.caller(request)
    } catch let error as ServiceError
      where error.code == .unauthenticated || error.code == .invalidArgument
    {
      throw denied
    }
    let bucket = try await bucket(request.bucket, of: caller, request)
    guard bucket.permit.isAdministrator else { throw denied }
    return bucket
  }

  /// Makes a download token, or takes one back; the last one is replaced.
  private func changeTokens(_ request: FirebaseRequest) async throws -> ServiceResponse {
    let bucket = try await bucketForTokens(request)
    let gone = request.parameter("delete_token").map { Text($0) }
    if gone == nil, request.parameter("create_token") != "true" {
      throw FirebaseFailure.badRequest("create_token must be true.")
    }
    let object = try await bucket.update(
      try request.objectName(),
      generation: nil,
      try request.preconditions()
    ) { attributes in
      var tokens = attributes.downloadTokens
      if let gone { tokens.removeAll { $0 == gone } }
      if gone == nil || tokens.isEmpty { tokens.append(DownloadToken.random()) }
      attributes.downloadTokens = tokens
    }
    return Self.answer(object)
  }

  // MARK: Lists

  private func list(_ request: FirebaseRequest) async throws -> ServiceResponse {
    var query = ObjectQuery()
    let prefix = request.parameter("prefix") ?? ""
    guard prefix.isEmpty || prefix.hasSuffix("/") else {
      throw FirebaseFailure.badRequest(
        "The prefix parameter is required to be empty or ends with a single / character."
      )
    }
    query.prefix = Text(prefix)
    if let delimiter = request.parameter("delimiter"), !delimiter.isEmpty {
      query.delimiter = Text(delimiter)
    }
    if let text = request.parameter("maxResults") {
      guard let number = Int(text), number > 0 else {
        throw FirebaseFailure.badRequest("maxResults must be a positive number.")
      }
      query.limit = min(number, 1_000)
    }
    if let token = request.parameter("pageToken"), !token.isEmpty {
      query.token = try ObjectPageToken(token)
    }
    let page = try await bucket(request).list(query)
    return .json(Array(Self.json(page).compact.utf8))
  }

  /// Names with an empty part, which no reference of a client can have, are not shown.
  private static func json(_ page: ObjectPage) -> JSONValue {
    let items = page.objects.filter { !hasEmptyPart($0.name.text.string[...]) }
    let prefixes = page.prefixes.filter { !hasEmptyPart($0.string.dropLast()) }
    var members: [JSONValue.Member] = [
      .init("prefixes", .array(prefixes.map { .string($0.string) })),
      .init(
        "items",
        .array(
          items.map { object in
            .object([
              .init("name", .string(object.name.text.string)),
              .init("bucket", .string(object.bucket.text.string)),
            ])
          }
        )
      ),
    ]
    if let next = page.next { members.append(.init("nextPageToken", .string(next.text))) }
    return .object(members)
  }

  private static func hasEmptyPart(_ name: Substring) -> Bool {
    name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .contains(where: \.isEmpty)
  }
}
