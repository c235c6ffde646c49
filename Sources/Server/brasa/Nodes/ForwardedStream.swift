import Access
import BaseStatus
import Outbound

/// The response of another node to a call, read as fast as the client reads; the request ends with
/// the object.
final class ForwardedStream: ResponseStream {
  private let reader: AnswerReader
  private let run: @Sendable (@escaping @Sendable () async -> Void) -> Bool

  /// A response whose parts are awaited in tasks that `run` begins, unless it takes none any more.
  init(
    _ body: NodeClient.Body,
    run: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Bool
  ) {
    reader = AnswerReader(body)
    self.run = run
  }

  func next(
    maxBytes: Int,
    respond: @escaping @Sendable (Result<[[UInt8]], ServiceError>) -> Void
  ) {
    let isRunning = run { [reader] in
      do {
        respond(.success(try await reader.next(maxBytes: maxBytes)))
      } catch {
        respond(.failure(PeerNodes.failure(error)))
      }
    }
    if !isRunning { respond(.failure(PeerNodes.failure(nil))) }
  }
}

/// Cuts the response into messages.
// Sendable: a stream is asked for one part at a time, and only its own calls reach the reader.
private final class AnswerReader: @unchecked Sendable {
  private var parts: NodeClient.Body.AsyncIterator
  private var buffer: [UInt8] = []
  private var end: Result<Void, ServiceError>?

  init(_ body: NodeClient.Body) { parts = body.makeAsyncIterator() }

  /// The next messages; none at the end.
  func next(maxBytes: Int) async throws -> [[UInt8]] {
    while true {
      let messages = try take(maxBytes)
      if !messages.isEmpty { return messages }
      if let end {
        try end.get()
        return []
      }
      guard let part = try await parts.next() else { throw AnswerFrame.Malformed() }
      buffer += part
    }
  }

  /// The whole messages that have arrived, at least one and about so many bytes.
  private func take(_ maxBytes: Int) throws -> [[UInt8]] {
    var messages: [[UInt8]] = []
    var (start, size) = (0, 0)
    defer { buffer.removeFirst(start) }
    while end == nil, size < maxBytes, let frame = try AnswerFrame.take(from: buffer, at: &start) {
      switch frame {
      case .message(let message):
        size += message.count
        messages.append(message)
      case .end(let error): end = error.map { .failure($0) } ?? .success(())
      }
    }
    return messages
  }
}
