import ServiceModule

/// The body of a request on its way to another node.
///
/// The HTTP client may still wait for the next part when the other node has answered. The connection goes on to read from where the
/// body ends, and must not find somebody else reading: so a body is let go behind the answer, before the request is over. The waiting is
/// not cancelled, which would end the connection, and with it what the client has not read of the answer.
actor PassedBody {
  private var parts: ServiceBody.AsyncIterator
  private var asked: Task<[UInt8]?, any Error>?
  private var isLetGo = false

  init(_ body: ServiceBody) { parts = body.makeAsyncIterator() }

  /// The parts, for the one who sends them.
  nonisolated var sequence: Sequence { Sequence(body: self) }

  /// Ends the sending, and returns when nobody reads: once the client has sent the part that is waited for, or is gone.
  func letGo() async {
    isLetGo = true
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

extension ServiceResponse {
  /// The answer, behind which the body of its request is let go.
  func lettingGo(of body: PassedBody) async -> ServiceResponse {
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
        written = .failure(error)
      }
      await body.letGo()
      try written.get()
    }
    return response
  }
}
