import ServiceModule

/// The body of a request on its way to another node.
///
/// The HTTP client may still wait for the next part when the other node has answered. The connection goes on to read from where the
/// body ends, and must not find somebody else reading: so a body is let go before its request is answered.
actor PassedBody {
  private var parts: ServiceBody.AsyncIterator
  private var asked: Task<[UInt8]?, any Error>?
  private var isLetGo = false

  init(_ body: ServiceBody) { parts = body.makeAsyncIterator() }

  /// The parts, for the one who sends them.
  nonisolated var sequence: Sequence { Sequence(body: self) }

  /// Ends the reading, and returns when nobody reads.
  func letGo() async {
    isLetGo = true
    asked?.cancel()
    _ = await asked?.result
  }

  private func next() async throws -> [UInt8]? {
    let task = Task { try await take() }
    asked = task
    defer { asked = nil }
    return try await task.value
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
