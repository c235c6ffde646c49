import Access
import BaseJSON
import BaseText
import HTTPTypes
import ObjectStorage
import ServiceModule
import StorageWire

/// Uploads of Google's JSON API: one body (`media`), metadata and bytes in one (`multipart`), or bytes in
/// several requests (`resumable`).
struct JSONUpload: Sendable {
  private let call: StorageCall
  private var headers: HTTPFields { call.request.headers }

  init(_ call: StorageCall) { self.call = call }

  func answer() async throws -> ServiceResponse {
    if let id = call.query["upload_id"] { return try await proceed(id) }
    guard call.request.method != .delete else { throw StorageError(.notFound, "Not Found") }
    switch kind {
    case "media", "raw": return try await storeBody()
    case "multipart": return try await storeParts()
    case "resumable": return try await begin()
    default: throw StorageError(.invalid, "Invalid uploadType.")
    }
  }

  /// The kind of the upload: by its parameter, else by its header, else by the type of its body;
  /// nil for a request that continues an upload and names none.
  private var kind: String? {
    if let type = call.query["uploadType"] { return type }
    guard call.request.method == .post else { return nil }
    if let named = headers[.uploadProtocol] { return named.lowercased() }
    let type = headers[.contentType].flatMap(MediaType.init)
    return type?.name == "multipart/related" ? "multipart" : "media"
  }

  // MARK: In one request

  private func storeBody() async throws -> ServiceResponse {
    let bucket = try await call.administratorsBucket()
    var new = try object(named: nil, JSONValue.object([JSONValue.Member]()))
    new.attributes.contentType = headers[.contentType].map { Text($0) }
    new.expected.size = headers[.contentLength].flatMap { Int64($0) }
    return try call.answer(try await bucket.upload(new, from: call.request.body))
  }

  private func storeParts() async throws -> ServiceResponse {
    let bucket = try await call.administratorsBucket()
    let reader = try MultipartReader(contentType: headers[.contentType] ?? "")
    var body = RelatedBody(reader, call.request.body)
    let metadata = try StorageCall.object(try await body.metadata(upTo: StorageCall.jsonLimit))
    let contentType = try await body.contentType()
    var new = try object(named: nil, metadata)
    if new.attributes.contentType == nil {
      new.attributes.contentType = contentType.map { Text($0) }
    }
    if let length = headers[.contentLength].flatMap({ Int64($0) }) {
      new.probableSize = body.probableContentSize(ofBody: length)
    }
    return try call.answer(try await bucket.upload(new, from: &body))
  }

  /// The object that a request is about: what its metadata says, and its query.
  private func object(named name: String?, _ metadata: JSONValue) throws -> NewObject {
    let said = try AttributesJSON(metadata)
    guard let name = name ?? call.query["name"] ?? said.name else {
      throw StorageError(.invalid, "Required parameter: name")
    }
    var new = NewObject(
      try ObjectName(name),
      attributes: said.attributes,
      expected: said.expected,
      preconditions: try call.preconditions()
    )
    let hashes = try AttributesJSON.expected(header: headers[.googHash])
    new.expected.crc32c = hashes.crc32c ?? new.expected.crc32c
    new.expected.md5 = hashes.md5 ?? new.expected.md5
    if let encoding = call.query["contentEncoding"] {
      new.attributes.contentEncoding = Text(encoding)
    }
    return new
  }

  // MARK: In several

  private func begin() async throws -> ServiceResponse {
    let bucket = try await call.administratorsBucket()
    var new = try object(named: nil, try await call.json())
    if new.attributes.contentType == nil {
      new.attributes.contentType = headers[.uploadContentType].map { Text($0) }
    }
    if let length = headers[.uploadContentLength] {
      guard let size = Int64(length), size >= 0 else {
        throw StorageError(.invalid, "Invalid value for X-Upload-Content-Length.")
      }
      new.expected.size = size
    }
    let initiator = UploadInitiator(.json, try await call.account())
    let session = try await bucket.beginSession(new, initiator: initiator.record)
    let id = session.id.text.string
    let path = "/upload/storage/v1/b/\(bucket.name.text.string)/o"
    var response = ServiceResponse()
    response.headers[.location] = "\(call.origin)\(path)?uploadType=resumable&upload_id=\(id)"
    response.headers[.uploaderID] = id
    return response
  }

  /// Continues an upload in the name of its initiator: its ID is the right to that.
  private func proceed(_ id: String) async throws -> ServiceResponse {
    guard let id = UploadID(id) else {
      throw StorageError(.notFound, "The upload session does not exist.")
    }
    let session = try await call.storage.session(id)
    guard session.bucket.text.string == call.parameter("bucket") else {
      throw StorageError(.notFound, "The upload session does not exist.")
    }
    let bucket = try await self.bucket(of: session)
    guard call.request.method != .delete else { return try await cancel(session) }
    let expected = try AttributesJSON.expected(header: headers[.googHash])
    do {
      return try await proceed(session, bucket, expected)
    } catch let error as StorageError where error.code == .unavailable {
      throw error
    }
  }

  private func cancel(_ session: UploadSession) async throws -> ServiceResponse {
    guard await !session.isFinished else {
      throw StorageError(.invalid, "The upload is complete and cannot be cancelled.")
    }
    try await session.cancel()
    return ServiceResponse(status: HTTPResponse.Status(code: 499))
  }

  /// The bucket with the current rights of the caller that started the upload.
  private func bucket(of session: UploadSession) async throws -> Bucket {
    let environment = call.environment
    let rights = UploadRights(
      storage: environment.storage,
      access: environment.access,
      threads: environment.threads
    )
    return try await rights.bucket(
      of: session,
      .json,
      eventDepth: call.request.context.eventDepth
    )
  }

  private func proceed(
    _ session: UploadSession,
    _ bucket: Bucket,
    _ expected: ExpectedContent
  ) async throws -> ServiceResponse {
    let body = call.request.body
    let range = try headers[.contentRange].map { try ContentRange($0) }
    switch try await session.status(bucket) {
    case .active: break
    // A response may have been lost.
    case .finished(let object): return try call.answer(object)
    case .cancelled: throw StorageError.cancelledUpload
    }
    guard let range else {
      _ = try await session.receive(at: 0, isLast: true, body)
      return try call.answer(try await session.finish(bucket, expected))
    }
    guard let status = try await session.receive(range, body) else {
      return try await self.status(session, bucket, range, expected)
    }
    guard range.isLast else { return incomplete(status) }
    return try call.answer(try await session.finish(bucket, size: range.total, expected))
  }

  /// Answers how far an upload is; one that has all its bytes is ended.
  private func status(
    _ session: UploadSession,
    _ bucket: Bucket,
    _ range: ContentRange,
    _ expected: ExpectedContent
  ) async throws -> ServiceResponse {
    let status = try await session.status(bucket)
    switch status {
    case .finished(let object): return try call.answer(object)
    case .cancelled: throw StorageError.cancelledUpload
    case .active(let received):
      guard received == range.total else { return incomplete(status) }
      return try call.answer(try await session.finish(bucket, size: received, expected))
    }
  }

  private func incomplete(_ status: UploadStatus) -> ServiceResponse {
    guard case .active(let received) = status else { return ServiceResponse() }
    return .incomplete(received: received, for: headers)
  }
}

extension UploadSession {
  /// Takes the bytes of a request; nil where its range is of none.
  func receive(_ range: ContentRange, _ body: ServiceBody) async throws -> UploadStatus? {
    switch range.bytes {
    case .none: return nil
    case .chunk(let bytes):
      let chunk = BoundedBody(base: body, count: Int64(bytes.count))
      return try await receive(at: bytes.lowerBound, isLast: range.isLast, chunk)
    case .rest(let first): return try await receive(at: first, isLast: true, body)
    }
  }
}

/// A body that must have so many bytes.
struct BoundedBody: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  typealias Failure = any Error

  let base: ServiceBody
  let count: Int64

  struct AsyncIterator: AsyncIteratorProtocol {
    var base: ServiceBody.AsyncIterator
    var rest: Int64

    mutating func next() async throws -> [UInt8]? {
      guard let part = try await base.next() else {
        guard rest == 0 else { throw Self.mismatch }
        return nil
      }
      rest -= Int64(part.count)
      guard rest >= 0 else { throw Self.mismatch }
      return part
    }

    private static let mismatch = StorageError(
      .invalid,
      "The body's length does not match the Content-Range header."
    )
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: base.makeAsyncIterator(), rest: count)
  }
}

extension HTTPField.Name {
  static let googHash = Self("x-goog-hash") ?? .from
  static let uploadProtocol = Self("x-goog-upload-protocol") ?? .from
  static let uploadContentType = Self("x-upload-content-type") ?? .from
  static let uploadContentLength = Self("x-upload-content-length") ?? .from
  static let uploaderID = Self("x-guploader-uploadid") ?? .from
}
