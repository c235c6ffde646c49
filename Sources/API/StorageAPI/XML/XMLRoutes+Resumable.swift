import Access
import HTTPTypes
import ObjectStorage
import ServiceModule
import StorageWire

// Resumable uploads of the XML API: begun by a signed POST, or an administrator's; what follows goes to the address
// that the response names, whose id is the right to it.

extension XMLRoutes {
  func start(
    _ bucket: Bucket,
    _ signature: VerifiedSignature?,
    _ request: XMLRequest
  ) async throws -> ServiceResponse {
    var new = try request.newObject(try request.object)
    // This request's body is empty; its length says nothing about the object's.
    new.expected.size = nil
    if let length = request.header("x-upload-content-length") {
      guard let size = Int64(length) else {
        throw XMLFailure.invalid("x-upload-content-length must be a number.")
      }
      new.expected.size = size
    }
    let initiator = UploadInitiator(.xml, try await account(signature, request))
    let session = try await bucket.beginSession(new, initiator: initiator.record)
    let scheme = request.base.context.isSecure ? "https" : "http"
    let authority = request.base.head.authority ?? "localhost"
    let query = "upload_id=\(session.id.text.string)"
    return ServiceResponse(
      status: .created,
      headers: [.location: "\(scheme)://\(authority)\(request.base.path)?\(query)"]
    )
  }

  /// The account that made a request: the one whose key signed it, or the one of its token.
  private func account(
    _ signature: VerifiedSignature?,
    _ request: XMLRequest
  ) async throws -> CallerAccount {
    switch signature?.key {
    case .secret(_, let accessID)?: return .sharedSecret(accessID: accessID)
    case .account(let email, let keyID)?: return .serviceAccount(email: email, keyID: keyID)
    // A key that development takes on trust.
    case .foreign?: return .development
    case nil:
      let (access, context) = (access, request.base.context)
      return try await threads.run { try access.account(of: context) }
    }
  }

  /// The bucket of an upload with the current rights of the caller that started it.
  private func bucket(of session: UploadSession) async throws -> Bucket {
    var rights = UploadRights(storage: storage, access: access, threads: threads)
    rights.projectOfSecret = { [storage, signatures] accessID in
      guard try signatures.verifier.secret(accessID) != nil else { return nil }
      return try storage.activeHMACKey(accessID)?.project
    }
    return try await rights.bucket(of: session, .xml)
  }

  /// Bytes of an upload, or the question how far it is.
  func resume(_ id: String, _ request: XMLRequest) async throws -> ServiceResponse {
    let session = try await session(id, request)
    let bucket = try await bucket(of: session)
    let range = try request.base.headers[.contentRange].map { try ContentRange($0) }
    let status = try await session.status(bucket)
    // A response may have been lost.
    switch status {
    case .active: break
    case .finished, .cancelled: return try Self.answer(status, request)
    }
    guard let range else {
      _ = try await session.receive(at: 0, isLast: true, request.base.body)
      return try await finish(session, bucket, size: nil, request)
    }
    guard let taken = try await session.receive(range, request.base.body) else {
      guard case .active(let received) = status, received == range.total else {
        return try Self.answer(status, request)
      }
      // Its size is said now that all is there.
      return try await finish(session, bucket, size: received, request)
    }
    guard range.isLast else { return try Self.answer(taken, request) }
    return try await finish(session, bucket, size: range.total, request)
  }

  /// Cancels an upload, as any holder of its ID may.
  func cancel(_ id: String, _ request: XMLRequest) async throws -> ServiceResponse {
    let session = try await session(id, request)
    _ = try await bucket(of: session)
    guard await !session.isFinished else {
      throw XMLFailure.invalid("The upload is complete and cannot be cancelled.")
    }
    try await session.cancel()
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
      UploadInitiator(record: session.initiator)?.dialect == .xml
    else { throw XMLFailure.noUpload }
    return session
  }

  private func finish(
    _ session: UploadSession,
    _ bucket: Bucket,
    size: Int64?,
    _ request: XMLRequest
  ) async throws -> ServiceResponse {
    var expected = ExpectedContent()
    try request.readHashes(into: &expected)
    let object = try await session.finish(bucket, size: size, expected)
    return try Self.answer(.finished(object), request)
  }

  private static func answer(
    _ status: UploadStatus,
    _ request: XMLRequest
  ) throws -> ServiceResponse {
    switch status {
    case .cancelled: throw XMLFailure.noUpload
    case .active(let received):
      return .incomplete(received: received, for: request.base.headers)
    case .finished(let object):
      var response = ServiceResponse()
      response.describe(object)
      return response
    }
  }
}
