import Gateway
import ServiceModule

/// The body of a request on its way to another node.
///
/// The HTTP client may still wait for the next part when the other node has answered. The
/// connection continues to read from the end of the body, and must not find another reader: so a
/// body is released after the response, before the request ends. The waiting is not cancelled,
/// which would end the connection, and with it the unread part of the response.
///
/// After a refusal, the HTTP client sends nothing more of a body. It takes the end for that of a
/// body that is too short, and fails the request with the rest of the response. So the end of a
/// body of a known length, which no reader waits for, is held back until the other node has taken
/// it.
actor PassedBody {
  private var parts: ServiceBody.AsyncIterator
  private var asked: Task<[UInt8]?, any Error>?
  private var isLetGo = false
  /// True if the end may be sent.
  private var mayEnd: Bool
  private var end: CheckedContinuation<Void, Never>?
  private let sent: AsyncStream<Never>
  private let sending: AsyncStream<Never>.Continuation

  init(_ body: ServiceBody, hasKnownLength: Bool) {
    parts = body.makeAsyncIterator()
    mayEnd = !hasKnownLength
    (sent, sending) = AsyncStream.makeStream()
  }

  /// Returns when the last part was given, or without further requests; for one task.
  nonisolated func untilSent() async {
    for await _ in sent {}
  }

  /// The other node has taken the request.
  func isTaken() {
    mayEnd = true
    end?.resume()
    end = nil
  }

  /// The parts, for the one who sends them.
  nonisolated var sequence: Sequence { Sequence(body: self) }

  /// Ends the sending, and returns when there is no reader: once the client has sent the awaited
  /// part, or is gone.
  func letGo() async {
    isLetGo = true
    sending.finish()
    end?.resume()
    end = nil
    _ = await asked?.result
  }

  private func next() async throws -> [UInt8]? {
    let task = Task { try await take() }
    asked = task
    defer { asked = nil }
    if let part = try await task.value { return part }
    sending.finish()
    if !mayEnd, !isLetGo { await withCheckedContinuation { end = $0 } }
    guard mayEnd else { throw CancellationError() }
    return nil
  }

  private func take() async throws -> [UInt8]? {
    // Not the end, which would make a whole body of the part that was sent.
    guard !isLetGo else { throw CancellationError() }
    // One asks at a time.
    var parts = parts
    defer { self.parts = parts }
    return try await parts.next(isolation: self)
  }

  struct Sequence: AsyncSequence, Sendable {
    fileprivate let body: PassedBody

    struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let body: PassedBody

      mutating func next() async throws -> [UInt8]? { try await body.next() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body) }
  }
}

extension ServiceResponse {
  /// The answer of a passage, which is over with it, and behind which the body of its request is let go.
  ///
  /// A stream that is made to end does so as if the other node had ended it.
  func passed(
    _ passage: PassedRequests.Passage,
    _ body: PassedBody,
    isStream: Bool
  ) async -> ServiceResponse {
    guard case .stream(let write) = self.body else {
      await body.letGo()
      return self
    }
    var response = self
    response.body = .stream { writer in
      let written: Result<Void, any Error>
      do {
        written = .success(try await write(&writer))
      } catch {
        written =
          isStream && passage.cancellation.isCancelled ? .success(()) : .failure(error)
      }
      await body.letGo()
      try written.get()
    }
    return response
  }
}
