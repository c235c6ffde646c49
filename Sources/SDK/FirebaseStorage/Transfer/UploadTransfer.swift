import FirebaseCore
import Foundation
import Locking

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An upload by the resumable protocol.
///
/// A first request sends name, size and metadata and gets the address of the upload; then the bytes
/// go there, in slices. After a failure or a pause the server is asked how many it has. The address
/// is the right to the upload, so requests to it carry no credentials.
final class UploadTransfer: Transfer {
  private struct State {
    var session: Session?
    /// The number of bytes that the server has confirmed.
    var offset: Int64 = 0
    /// True if something may have arrived that was not confirmed.
    var isUncertain = false
    /// The checksum of all bytes up to the end of the last slice that was read.
    var checksum = RunningChecksum()
  }

  private struct Session {
    let url: String
    /// Bytes that slices are a multiple of, but for the last.
    let granularity: Int64
  }

  private static let answerLimit = 1 << 20

  private enum Step {
    case goOn
    case done(StorageMetadata)
  }

  private let reference: StorageReference
  private let content: UploadContent
  private let metadata: StorageMetadata
  private let state = Lock(State())

  init(_ reference: StorageReference, _ content: UploadContent, _ metadata: StorageMetadata) {
    self.reference = reference
    self.content = content
    self.metadata = metadata
  }

  private var storage: Storage { reference.storage }

  func run(_ report: @escaping @Sendable (TransferProgress) -> Void) async throws -> TransferOutcome
  {
    try reference.checkIsObject()
    let size = try await content.size()
    let backend = storage.backend
    var retry = Retry(limit: storage.maxUploadRetryTime, clock: backend.clock)
    let session = try await session(size)
    var greatest = state.withLock { $0.offset }
    while true {
      do {
        let isQuery = state.withLock { $0.isUncertain }
        let step =
          isQuery ? try await query(session, size) : try await send(session, size, report)
        if case .done(let metadata) = step {
          report(TransferProgress(completed: size, total: size))
          return TransferOutcome(metadata: metadata)
        }
        let offset = state.withLock { $0.offset }
        report(TransferProgress(completed: offset, total: size))
        if offset > greatest {
          greatest = offset
          retry.noteSuccess()
        } else if !isQuery {
          // The server took nothing.
          try await retry.wait()
        }
      } catch let again as Again {
        state.withLock { $0.isUncertain = true }
        try again.rethrowIfFinal()
        try await retry.wait()
      }
    }
  }

  /// A request that may be repeated, once the server has reported its state.
  private struct Again: Error {
    let cause: (any Error)?

    /// Throws what asking again would not change.
    func rethrowIfFinal() throws {
      if let cause, !Retry.isTransient(cause) { throw cause }
    }
  }

  // MARK: Requests

  private func session(_ size: Int64) async throws -> Session {
    if let known = state.withLock({ $0.session }) { return known }
    let backend = storage.backend
    let query = [("uploadType", "resumable"), ("name", reference.fullPath)]
    var request = try backend.request("POST", query: query)
    var members = metadata.settableJSON
    let type = metadata.contentType ?? ContentTypes.type(of: reference.name)
    members["contentType"] = type
    members["name"] = reference.fullPath
    request.setValue("application/json; charset=UTF-8", forHTTPHeaderField: "Content-Type")
    request.setValue("resumable", forHTTPHeaderField: "X-Goog-Upload-Protocol")
    request.setValue("start", forHTTPHeaderField: "X-Goog-Upload-Command")
    request.setValue(String(size), forHTTPHeaderField: "X-Goog-Upload-Content-Length")
    request.setValue(type, forHTTPHeaderField: "X-Goog-Upload-Content-Type")
    let answer = try await backend.send(
      request,
      body: try JSONSerialization.data(withJSONObject: members),
      object: reference.fullPath,
      for: storage.maxUploadRetryTime
    )
    guard let url = answer.headers["x-goog-upload-url"] else {
      throw StorageError.internalError(message: "The server did not start the upload.")
    }
    let granularity = answer.headers["x-goog-upload-chunk-granularity"].flatMap { Int64($0) }
    let session = Session(url: url, granularity: max(granularity ?? 262_144, 1))
    state.withLock { $0.session = session }
    return session
  }

  /// Sends the next slice, and says with the last one that it is that.
  private func send(
    _ session: Session,
    _ size: Int64,
    _ report: @escaping @Sendable (TransferProgress) -> Void
  ) async throws -> Step {
    let offset = state.withLock { $0.offset }
    let count = min(sliceSize(session), size - offset)
    let isLast = offset + count == size
    let slice = try await content.read(at: offset, count: count)
    state.withLock { $0.checksum.extend(by: slice, at: offset) }
    let command = isLast ? "upload, finalize" : "upload"
    var request = try request(session, command)
    request.setValue(String(offset), forHTTPHeaderField: "X-Goog-Upload-Offset")
    // A run that is cancelled cannot know what arrived.
    state.withLock { $0.isUncertain = true }
    let step = try await exchange(request, slice, size, isLast: isLast) { traffic in
      if case .sent(let sent) = traffic {
        report(TransferProgress(completed: min(offset + sent, size), total: size))
      }
    }
    if case .goOn = step { state.withLock { $0.isUncertain = false } }
    return step
  }

  private func sliceSize(_ session: Session) -> Int64 {
    let wanted = min(storage.uploadChunkSizeBytes, storage.sliceBytes)
    return max(wanted / session.granularity, 1) * session.granularity
  }

  /// Asks how many bytes have arrived.
  private func query(_ session: Session, _ size: Int64) async throws -> Step {
    let step = try await exchange(try request(session, "query"), Data(), size)
    state.withLock { $0.isUncertain = false }
    return step
  }

  private func request(_ session: Session, _ command: String) throws -> URLRequest {
    var request = try StorageBackend.request("PUT", session.url)
    request.setValue(command, forHTTPHeaderField: "X-Goog-Upload-Command")
    return request
  }

  private func exchange(
    _ request: URLRequest,
    _ body: Data,
    _ size: Int64,
    isLast: Bool = false,
    _ traffic: @escaping @Sendable (HTTPTraffic) -> Void = { _ in }
  ) async throws -> Step {
    let answer: HTTPAnswer
    do {
      if body.isEmpty {
        answer = try await HTTPClient.shared.answer(
          to: request,
          body: body,
          limit: Self.answerLimit
        )
      } else {
        answer = try await HTTPClient.answerOnNewConnection(
          to: request,
          body: body,
          limit: Self.answerLimit,
          traffic: traffic
        )
      }
    } catch {
      if error is CancellationError { throw error }
      throw Again(cause: error)
    }
    // If a response is lost, the transport may send a request a second time by itself, when the
    // upload no longer exists.
    if isLast, answer.status == 404 { throw Again(cause: nil) }
    return try take(answer, sent: Int64(body.count), of: size)
  }

  private func take(_ answer: HTTPAnswer, sent: Int64, of size: Int64) throws -> Step {
    let status = answer.headers["x-goog-upload-status"]
    if Retry.isTransient(answer) { throw Again(cause: nil) }
    guard answer.isSuccess else {
      // The server has another position than this side thinks.
      if status == "active" { throw Again(cause: nil) }
      let error = StorageError(answer, bucket: reference.bucket, object: reference.fullPath)
      // The next run starts from the beginning, if there is one.
      state.withLock { $0 = State() }
      throw error
    }
    if status == "final" {
      if let stored = ObjectChecksum(ofObject: answer),
        stored.value != state.withLock({ $0.checksum.value })
      {
        state.withLock { $0 = State() }
        throw StorageError.nonMatchingChecksum
      }
      return .done(try StorageMetadata(answer))
    }
    // Something between here and the server may have answered in its place.
    guard status == "active" else { throw Again(cause: nil) }
    let received = answer.headers["x-goog-upload-size-received"].flatMap { Int64($0) }
    let offset = received ?? state.withLock { $0.offset } + sent
    guard (0...size).contains(offset) else {
      throw StorageError.internalError(message: "The server has \(offset) of \(size) bytes.")
    }
    state.withLock { $0.offset = offset }
    return .goOn
  }

  func abandon() async {
    guard let session = state.withLock({ $0.session }) else { return }
    do {
      _ = try await HTTPClient.shared.answer(to: request(session, "cancel"), body: Data())
    } catch {
      // The server forgets the upload after some days.
      FirebaseLog.write(.debug, "FirebaseStorage", "I-STR000001", "No upload cancelled: \(error)")
    }
  }
}
