import Access
import BaseJSON
import BaseStatus
import BaseText
import HTTPTypes
import ObjectStorage
import ServiceModule
import StorageWire

// Uploads of Firebase's dialect: whole bodies, bodies with metadata, and resumable ones, whose requests say in
// X-Goog-Upload-Command what they are. Rules are asked when an upload begins and when it becomes an object.

extension FirebaseRoutes {
  func upload(_ request: FirebaseRequest) async throws -> ServiceResponse {
    let uploadProtocol = request.header("x-goog-upload-protocol")?.lowercased()
    if let id = request.parameter("upload_id") { return try await resume(id, request) }
    if uploadProtocol == "resumable" { return try await start(request) }
    let type = request.base.headers[.contentType] ?? ""
    if uploadProtocol == "multipart" || MediaType(type)?.name == "multipart/related" {
      return try await uploadParts(request, type)
    }
    return try await uploadWhole(request, type)
  }

  /// The body is the content.
  private func uploadWhole(
    _ request: FirebaseRequest,
    _ type: String
  ) async throws -> ServiceResponse {
    var new = try newObject(request, .object([]), contentType: type)
    new.expected.size = request.base.headers[.contentLength].flatMap { Int64($0) }
    let object = try await bucket(request).upload(new, from: request.base.body)
    return Self.answer(object)
  }

  /// The body is metadata and content.
  private func uploadParts(
    _ request: FirebaseRequest,
    _ type: String
  ) async throws -> ServiceResponse {
    let bucket = try await bucket(request)
    var body = RelatedBody(try MultipartReader(contentType: type), request.base.body)
    let json = try FirebaseMetadata.parse(
      try await body.metadata(upTo: FirebaseRequest.metadataLimit)
    )
    let contentType = try await body.contentType()
    var new = try newObject(request, json, contentType: contentType)
    if let length = request.base.headers[.contentLength].flatMap({ Int64($0) }) {
      new.probableSize = body.probableContentSize(ofBody: length)
    }
    return Self.answer(try await bucket.upload(new, from: &body))
  }

  /// The object that an upload is to make; it has a download token from the start.
  private func newObject(
    _ request: FirebaseRequest,
    _ json: JSONValue,
    contentType: String?
  ) throws -> NewObject {
    var new = NewObject(try request.uploadName(json), preconditions: try request.preconditions())
    try FirebaseMetadata.apply(json, to: &new.attributes)
    new.attributes.downloadTokens = [DownloadToken.random()]
    if new.attributes.contentType == nil {
      let given = contentType.flatMap { $0.isEmpty ? nil : Text($0) }
      new.attributes.contentType = given ?? "application/octet-stream"
    }
    new.expected.md5 = try Self.digest("md5Hash", of: 16, in: json)
    new.expected.crc32c = try Self.digest("crc32c", of: 4, in: json)?
      .reduce(0) { $0 << 8 | UInt32($1) }
    return new
  }

  /// A hash of that many bytes in an upload's metadata; nil where it has none of that name.
  private static func digest(
    _ name: String,
    of count: Int,
    in json: JSONValue
  ) throws -> [UInt8]? {
    guard let hash = json[name]?.string else { return nil }
    guard let bytes = Base64.decode(hash), bytes.count == count else {
      throw FirebaseFailure.badRequest("\(name) is not a digest in Base64.")
    }
    return bytes
  }

  // MARK: Resumable

  /// Bytes that chunks are a multiple of, but for the last.
  private static let granularity = 262_144

  private func start(_ request: FirebaseRequest) async throws -> ServiceResponse {
    guard Self.commands(request).contains("start") else {
      throw FirebaseFailure.badRequest("X-Goog-Upload-Command must be start.")
    }
    let json = try FirebaseMetadata.parse(try await request.metadataBody())
    // Clients for the web and for iOS name these differently.
    let type =
      request.header("x-goog-upload-header-content-type")
      ?? request.header("x-goog-upload-content-type")
    let length =
      request.header("x-goog-upload-header-content-length")
      ?? request.header("x-goog-upload-content-length")
    var new = try newObject(request, json, contentType: type)
    if let length {
      guard let size = Int64(length), size >= 0 else {
        throw FirebaseFailure.badRequest("The length of the content is not a number.")
      }
      new.expected.size = size
    }
    let caller = try await caller(request)
    let bucket = try await bucket(try request.bucket, of: caller, request)
    let (access, context) = (access, request.base.context)
    let account = try await threads.run { try access.account(of: context) }
    let share = Self.share(of: caller, request)
    let session = try await bucket.beginSession(
      new,
      initiator: UploadInitiator(.firebase, account).record,
      caller: share,
      network: share == nil ? nil : Text(context.network)
    )
    var response = ServiceResponse()
    let url = Self.url(of: session, request)
    response.headers[.uploadStatus] = "active"
    response.headers[.uploadURL] = url
    response.headers[.uploadControlURL] = url
    response.headers[.uploadGranularity] = String(Self.granularity)
    response.headers[.uploaderID] = session.id.text.string
    return response
  }

  /// Returns the name under which an upload counts: a user, or the network of clients without one.
  static func share(of caller: Caller, _ request: FirebaseRequest) -> Text? {
    switch caller {
    case .administrator, .projectAdministrator: nil
    case .user(let user): Text("user \(user.uid.string)")
    case .nobody: Text("network \(request.base.context.network)")
    }
  }

  /// The address that chunks are sent to, at the host that the client called.
  private static func url(of session: UploadSession, _ request: FirebaseRequest) -> String {
    let scheme = request.base.context.isSecure ? "https" : "http"
    let authority = request.base.head.authority ?? "localhost"
    let name = PercentEncoding.encode(session.object.name.text.string)
    return "\(scheme)://\(authority)/v0/b/\(session.bucket.text.string)/o?name=\(name)"
      + "&upload_id=\(session.id.text.string)&upload_protocol=resumable"
  }

  /// A request of an upload that was started; its id is the right to it.
  private func resume(_ id: String, _ request: FirebaseRequest) async throws -> ServiceResponse {
    guard let id = UploadID(id) else { throw FirebaseFailure.notFound }
    let session = try await storage.session(id)
    guard try session.bucket == request.bucket else { throw FirebaseFailure.notFound }
    let allowed = try await allowedBucket(of: session, request)
    let commands = Self.commands(request)
    switch commands {
    case ["query"]:
      let bucket = try await bucket(session.bucket, of: .administrator, request)
      return Self.answer(try await session.status(bucket))
    case ["cancel"]:
      guard await !session.isFinished else {
        throw FirebaseFailure.badRequest("The upload has ended.").with(uploadStatus: "final")
      }
      try await session.cancel()
      return Self.answer(status: "cancelled")
    case ["upload"], ["upload", "finalize"], ["finalize"]:
      // A response may have been lost.
      let bucket = try await bucket(session.bucket, of: .administrator, request)
      let status = try await session.status(bucket)
      if case .finished = status { return Self.answer(status) }
      if case .cancelled = status {
        throw FirebaseFailure.badRequest("The upload was cancelled.")
          .with(uploadStatus: "cancelled")
      }
      return try await take(commands, session, allowed, request)
    default:
      throw FirebaseFailure.badRequest(
        "X-Goog-Upload-Command must be upload, finalize, query or cancel."
      )
    }
  }

  /// The bucket of an upload with the current rights of the caller that started it; an upload
  /// without any has ended.
  private func allowedBucket(
    of session: UploadSession,
    _ request: FirebaseRequest
  ) async throws -> Bucket {
    let rights = UploadRights(storage: storage, access: access, threads: threads)
    do {
      return try await rights.bucket(
        of: session,
        .firebase,
        requestID: request.base.context.requestID
      )
    } catch let error as ServiceError where error.code == .permissionDenied {
      throw Self.deniedUpload
    }
  }

  private static var deniedUpload: FirebaseFailure {
    var failure = FirebaseFailure.denied("WRITE")
    failure.headers[.uploadStatus] = "final"
    return failure
  }

  private func take(
    _ commands: [String],
    _ session: UploadSession,
    _ allowed: Bucket,
    _ request: FirebaseRequest
  ) async throws -> ServiceResponse {
    let isLast = commands.last == "finalize"
    if commands.first == "upload" {
      guard let text = request.header("x-goog-upload-offset"), let offset = Int64(text), offset >= 0
      else { throw FirebaseFailure.badRequest("X-Goog-Upload-Offset is missing or not a number.") }
      let status: UploadStatus
      do {
        status = try await session.receive(at: offset, isLast: isLast, request.base.body)
      } catch let error as StorageError where error.code == .invalid {
        // The upload continues: the client asks for its position.
        var failure = FirebaseFailure(error, permission: "WRITE") ?? .badRequest(error.message)
        failure.headers[.uploadStatus] = "active"
        throw failure
      }
      if !isLast { return Self.answer(status) }
    }
    do {
      // Data that arrived since the start of the request may have been slow.
      let bucket =
        isLast && commands.count > 1 ? try await allowedBucket(of: session, request) : allowed
      return Self.answer(.finished(try await session.finish(bucket)))
    } catch let error as ServiceError where error.code == .permissionDenied {
      try await session.end()
      throw Self.deniedUpload
    } catch let error as StorageError
      where error.code == .invalid || error.code == .contentMismatch
    {
      // Too few bytes came, and more may follow; or they are others than was said, which ends it.
      var failure = FirebaseFailure(error, permission: "WRITE") ?? .badRequest(error.message)
      failure.headers[.uploadStatus] = await session.isOpen ? "active" : "final"
      throw failure
    }
  }

  private static func commands(_ request: FirebaseRequest) -> [String] {
    let text = request.header("x-goog-upload-command") ?? ""
    return text.lowercased().split(separator: ",").map { part in
      String(part.filter { $0 != " " && $0 != "\t" })
    }
  }

  private static func answer(_ status: UploadStatus) -> ServiceResponse {
    switch status {
    case .active(let received): return answer(status: "active", received: received)
    case .finished(let object):
      var response = answer(object)
      response.headers[.uploadStatus] = "final"
      response.headers[.uploadSizeReceived] = String(object.size)
      return response
    case .cancelled: return answer(status: "cancelled")
    }
  }

  private static func answer(status: String, received: Int64? = nil) -> ServiceResponse {
    var response = ServiceResponse()
    response.headers[.uploadStatus] = status
    if let received { response.headers[.uploadSizeReceived] = String(received) }
    return response
  }
}

extension FirebaseFailure {
  /// The failure with the state of the upload.
  fileprivate func with(uploadStatus status: String) -> FirebaseFailure {
    var failure = self
    failure.headers[.uploadStatus] = status
    return failure
  }
}

extension HTTPField.Name {
  /// The fields of a resumable upload's answers.
  static let uploadStatus = storage("x-goog-upload-status")
  static let uploadURL = storage("x-goog-upload-url")
  static let uploadControlURL = storage("x-goog-upload-control-url")
  static let uploadGranularity = storage("x-goog-upload-chunk-granularity")
  static let uploadSizeReceived = storage("x-goog-upload-size-received")
}
