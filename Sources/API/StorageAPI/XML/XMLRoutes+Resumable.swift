import Access
import FirestoreModel
import HTTPTypes
import ObjectStorage
import ServiceModule
import StorageWire

// Resumable uploads of the XML API: begun by a signed POST, or an administrator's; what follows goes to the address
// that the answer names, whose id is the right to it.

extension XMLRoutes {
  func start(_ bucket: Bucket, _ request: XMLRequest) async throws -> ServiceResponse {
    var new = try request.newObject(try request.object)
    // This request's body is empty; what its length says is nothing about the object's.
    new.expected.size = nil
    if let length = request.header("x-upload-content-length") {
      guard let size = Int64(length) else {
        throw XMLFailure.invalid("x-upload-content-length must be a number.")
      }
      new.expected.size = size
    }
    let session = try await bucket.beginSession(new, initiator: Caller.administrator.record)
    let scheme = request.base.context.isSecure ? "https" : "http"
    let authority = request.base.head.authority ?? "localhost"
    let query = "upload_id=\(session.id.text.string)"
    return ServiceResponse(
      status: .created,
      headers: [.location: "\(scheme)://\(authority)\(request.base.path)?\(query)"]
    )
  }

  /// Bytes of an upload, or the question how far it is.
  func resume(_ id: String, _ request: XMLRequest) async throws -> ServiceResponse {
    let session = try await session(id, request)
    let bucket = try await bucket(session.bucket, of: session.project, request)
    let range = try UploadRange(request.base.headers[.contentRange])
    let status = try await session.status(bucket)
    // An answer may have been lost.
    if case .finished = status { return Self.answer(status, request) }
    guard let range else { return try await take(session, bucket, from: 0, size: nil, request) }
    guard let first = range.first else {
      guard case .active(let received) = status, received == range.total else {
        return Self.answer(status, request)
      }
      // Its size is said now that all is there.
      let object = try await finish(session, bucket, size: received, request)
      return Self.answer(.finished(object), request)
    }
    return try await take(
      session,
      bucket,
      from: first,
      size: range.total,
      last: range.last,
      request
    )
  }

  /// Gives an upload up, as whoever has its id may.
  func cancel(_ id: String, _ request: XMLRequest) async throws -> ServiceResponse {
    try await session(id, request).cancel()
    return ServiceResponse(status: HTTPResponse.Status(code: 499))
  }

  /// The upload of an id, which is of the object that the path names.
  private func session(_ text: String, _ request: XMLRequest) async throws -> UploadSession {
    guard let id = UploadID(text) else { throw XMLFailure.noUpload }
    let session: UploadSession
    do {
      session = try await storage.session(id)
    } catch let error as StorageError where error.code == .notFound {
      throw XMLFailure.noUpload
    }
    guard try session.bucket == request.bucket, try session.object.name == request.object,
      Caller(record: session.initiator) == .administrator
    else { throw XMLFailure.noUpload }
    return session
  }

  private func take(
    _ session: UploadSession,
    _ bucket: Bucket,
    from offset: Int64,
    size: Int64?,
    last: Int64? = nil,
    _ request: XMLRequest
  ) async throws -> ServiceResponse {
    let isLast = last == nil || size.map { last == $0 - 1 } ?? false
    let body = request.base.body
    let status =
      if let last {
        try await session.receive(
          at: offset,
          isLast: isLast,
          BoundedBody(base: body, count: last - offset + 1)
        )
      } else {
        try await session.receive(at: offset, isLast: isLast, body)
      }
    guard isLast else { return Self.answer(status, request) }
    let object = try await finish(session, bucket, size: size, request)
    return Self.answer(.finished(object), request)
  }

  private func finish(
    _ session: UploadSession,
    _ bucket: Bucket,
    size: Int64?,
    _ request: XMLRequest
  ) async throws -> StoredObject {
    var expected = ExpectedContent()
    try request.readHashes(into: &expected)
    return try await session.finish(bucket, size: size, expected)
  }

  private static func answer(_ status: UploadStatus, _ request: XMLRequest) -> ServiceResponse {
    switch status {
    case .active(let received):
      return .incomplete(received: received, for: request.base.headers)
    case .finished(let object):
      var response = ServiceResponse()
      response.describe(object)
      return response
    }
  }
}

/// The header `content-range` of a chunk: `bytes 0-9/100`, `bytes 0-9/*` or the question `bytes */100`.
struct UploadRange: Equatable {
  /// Nil where the client asks how far the upload is.
  let first: Int64?
  let last: Int64?
  /// Nil where the size is not known yet.
  let total: Int64?

  /// Nil without a header; throws for one that is malformed.
  init?(_ header: String?) throws(XMLFailure) {
    guard let header else { return nil }
    let problem = XMLFailure.invalid("Content-Range is malformed.")
    let parts = header.split(separator: " ")
    guard parts.count == 2, parts[0].lowercased() == "bytes" else { throw problem }
    let halves = parts[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { throw problem }
    total = Int64(halves[1])
    guard total != nil || halves[1] == "*", total ?? 0 >= 0 else { throw problem }
    if halves[0] == "*" {
      (first, last) = (nil, nil)
      return
    }
    let bounds = halves[0].split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard bounds.count == 2, let first = bounds[0], let last = bounds[1], first <= last,
      last < total ?? .max
    else { throw problem }
    (self.first, self.last) = (first, last)
  }
}
