import FirebaseCore
import Foundation
import Locking

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A download in slices, each a range of the object.
///
/// The first response contains the version of the object, and the others must be of the same one.
/// If there is another one by now, the download restarts.
final class DownloadTransfer: Transfer {
  private struct State {
    var offset: Int64 = 0
    /// The object's version; nil before the first response.
    var entityTag: String?
    var total: Int64?
    var data = Data()
    /// True if the bytes are sent in an encoding that ranges would cut.
    var isEncoded = false
  }

  private let reference: StorageReference
  private let sink: DownloadSink
  private let state = Lock(State())

  init(_ reference: StorageReference, _ sink: DownloadSink) {
    self.reference = reference
    self.sink = sink
  }

  private var storage: Storage { reference.storage }

  func run(_ report: @escaping @Sendable (TransferProgress) -> Void) async throws -> TransferOutcome
  {
    try reference.checkIsObject()
    let backend = storage.backend
    var retry = Retry(limit: storage.maxDownloadRetryTime, clock: backend.clock)
    while true {
      do {
        let answer = try await answer(backend, report)
        if Retry.isTransient(answer) {
          try await retry.wait()
        } else if try await take(answer, report) {
          return try await finish()
        } else {
          retry.noteSuccess()
        }
      } catch {
        guard Retry.isTransient(error) else { throw error }
        try await retry.wait()
      }
    }
  }

  private func answer(
    _ backend: StorageBackend,
    _ report: @escaping @Sendable (TransferProgress) -> Void
  ) async throws -> HTTPAnswer {
    let known = state.withLock { ($0.offset, $0.total, $0.entityTag, $0.isEncoded) }
    let (offset, total, tag, isEncoded) = known
    var request = try backend.request("GET", reference.fullPath, query: [("alt", "media")])
    let slice = max(min(storage.sliceBytes, sink.limit - offset), 1)
    if !isEncoded {
      request.setValue("bytes=\(offset)-\(offset + slice - 1)", forHTTPHeaderField: "Range")
    }
    if let tag { request.setValue(tag, forHTTPHeaderField: "If-Match") }
    let limit = min(sink.limit, Self.greatestEncoded)
    do {
      return try await backend.authorizedAnswer(
        to: request,
        limit: Int(max(limit, 1 << 20))
      ) { traffic in
        guard let total, case .received(let received) = traffic else { return }
        report(TransferProgress(completed: min(offset + received, total), total: total))
      }
    } catch is HTTPClient.AnswerTooLarge {
      throw StorageError.downloadSizeExceeded(total: limit + 1, maxSize: limit)
    }
  }

  /// The number of bytes of an encoded object that are taken in one piece.
  private static let greatestEncoded: Int64 = 1 << 30

  /// Takes a slice; true when it was the last.
  private func take(
    _ answer: HTTPAnswer,
    _ report: @Sendable (TransferProgress) -> Void
  ) async throws -> Bool {
    switch answer.status {
    case 200: return try await takeWhole(answer, report)
    case 206: return try await takePart(answer, report)
    case 412:
      state.withLock { $0 = State() }
      return false
    case 416 where answer.headers["content-range"] == "bytes */0":
      return try await takeWhole(HTTPAnswer(status: 200), report)
    default:
      throw StorageError(answer, bucket: reference.bucket, object: reference.fullPath)
    }
  }

  private func takeWhole(
    _ answer: HTTPAnswer,
    _ report: @Sendable (TransferProgress) -> Void
  ) async throws -> Bool {
    state.withLock { $0 = State() }
    let size = Int64(answer.body.count)
    guard size <= sink.limit else {
      throw StorageError.downloadSizeExceeded(total: size, maxSize: sink.limit)
    }
    if let checksum = ObjectChecksum(answer), !checksum.matches(answer.body) {
      throw StorageError.nonMatchingChecksum
    }
    try await append(answer.body, total: size)
    report(TransferProgress(completed: size, total: size))
    return true
  }

  private func takePart(
    _ answer: HTTPAnswer,
    _ report: @Sendable (TransferProgress) -> Void
  ) async throws -> Bool {
    let offset = state.withLock { $0.offset }
    guard let range = ContentRange(answer.headers["content-range"]), range.begin == offset else {
      throw StorageError.internalError(
        message: "The server sent another range than the requested one."
      )
    }
    guard range.total <= sink.limit else {
      throw StorageError.downloadSizeExceeded(total: range.total, maxSize: sink.limit)
    }
    let isWhole = offset == 0 && range.end + 1 == range.total
    guard isWhole || !Self.isEncoded(answer) else {
      state.withLock { $0.isEncoded = true }
      return false
    }
    if isWhole { return try await takeWhole(answer, report) }
    guard answer.body.count == range.end + 1 - range.begin else {
      throw URLError(.networkConnectionLost)
    }
    state.withLock { $0.entityTag = answer.headers["etag"] }
    try await append(answer.body, total: range.total)
    report(TransferProgress(completed: range.end + 1, total: range.total))
    return range.end + 1 == range.total
  }

  private static func isEncoded(_ answer: HTTPAnswer) -> Bool {
    answer.headers["content-encoding"].map { $0.lowercased() != "identity" } ?? false
  }

  private func append(_ slice: Data, total: Int64) async throws {
    let offset = state.withLock { $0.offset }
    if case .file(_, let partial) = sink {
      if offset == 0 { try await FileAccess.create(partial) }
      try await FileAccess.write(slice, to: partial, at: offset)
    }
    state.withLock { state in
      if case .memory = sink { state.data.append(slice) }
      state.offset = offset + Int64(slice.count)
      state.total = total
    }
  }

  private func finish() async throws -> TransferOutcome {
    switch sink {
    case .memory:
      return TransferOutcome(data: state.withLock { $0.data })
    case .file(let file, let partial):
      try await FileAccess.run {
        guard rename(partial.path, file.path) == 0 else {
          throw StorageError.unknown(
            message: "The file \(file.path) can't be written.",
            serverError: [
              "ResponseErrorDomain": NSPOSIXErrorDomain, "ResponseErrorCode": Int(errno),
            ]
          )
        }
      }
      return TransferOutcome()
    }
  }

  func abandon() async {
    guard case .file(_, let partial) = sink else { return }
    do {
      try await FileAccess.run {
        guard FileManager.default.fileExists(atPath: partial.path) else { return }
        try FileManager.default.removeItem(at: partial)
      }
    } catch {
      FirebaseLog.write(
        .warning,
        "FirebaseStorage",
        "I-STR000002",
        "The file \(partial.path) can't be removed: \(error)"
      )
    }
  }
}

/// The range of a response, both ends included, and the size of the whole.
private struct ContentRange {
  let begin: Int64
  let end: Int64
  let total: Int64

  /// Reads `bytes 0-9/100`.
  init?(_ text: String?) {
    guard let text, text.hasPrefix("bytes ") else { return nil }
    let numbers = text.dropFirst(6).split { $0 == "-" || $0 == "/" }.map { Int64($0) }
    guard numbers.count == 3, let begin = numbers[0], let end = numbers[1], let total = numbers[2],
      begin <= end, end < total
    else { return nil }
    (self.begin, self.end, self.total) = (begin, end, total)
  }
}
