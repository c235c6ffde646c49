import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL

/// Requests of one node of a cluster to others, over HTTP/1.1.
///
/// A node with a certificate has to show one that this machine trusts. Any task may call, until `shutdown`.
package final class NodeClient: Sendable {
  /// A request to a node.
  package struct Message: Sendable {
    /// The HTTP method, such as `GET`.
    package var method: String
    /// With the query, as it goes into the request.
    package var target: String
    /// The header fields, in order.
    package var headers: [(name: String, value: String)]
    /// The whole body; nil sends none.
    package var body: [UInt8]?
    /// A body that is sent as it comes, instead of `body`.
    package var stream: Stream?

    /// A request of those parts.
    package init(
      _ method: String,
      _ target: String,
      headers: [(name: String, value: String)] = [],
      body: [UInt8]? = nil
    ) {
      self.method = method
      self.target = target
      self.headers = headers
      self.body = body
    }
  }

  /// The body of a request as it comes, with its length where that is known.
  package struct Stream: Sendable {
    fileprivate let parts: any AsyncSequence<[UInt8], any Error> & Sendable
    fileprivate let length: Int64?

    /// A body of that many bytes, or of as many as come.
    package init(_ parts: any AsyncSequence<[UInt8], any Error> & Sendable, length: Int64?) {
      (self.parts, self.length) = (parts, length)
    }
  }

  /// The response of a node: its body arrives as it is read, and the request ends when the body is
  /// no longer read.
  package struct Answer: Sendable {
    /// The HTTP status.
    package let status: Int
    /// The response's header fields, in the order in which they came.
    package let headers: [(name: String, value: String)]
    /// The response's body, for one reader.
    package let body: Body
  }

  /// The parts of a body, for one reader.
  package struct Body: AsyncSequence, Sendable {
    fileprivate let parts: AnswerParts

    /// The reader of a body.
    package struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let parts: AnswerParts

      /// Returns the next part, or nil at the end; throws where the connection fails or the body is cancelled.
      package mutating func next() async throws -> [UInt8]? { try await parts.next() }
    }

    /// Returns the body's reader; a second one would share the first one's parts.
    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: parts) }

    /// Ends the request, also while its reader waits; the reader's next part is an error.
    package func cancel() {
      Task { [parts] in await parts.cancel() }
    }
  }

  private let client: HTTPClient

  /// The time that a connection may take to be there.
  package static let reach = Duration.seconds(2)
  /// The time that a response may be silent: longer than any stream of browsers rests.
  package static let silence = Duration.seconds(330)

  /// Makes a client on those event loops with up to `connections` to a node, of which each stream
  /// of a browser or device takes one.
  ///
  /// - Parameter silence: The time that a response may be silent; nil means no limit.
  package init(
    connections: Int,
    silence: Duration? = NodeClient.silence,
    group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
  ) {
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: .makeClientConfiguration(),
      redirectConfiguration: .disallow,
      timeout: .init(connect: TimeAmount(Self.reach), read: silence.map { TimeAmount($0) })
    )
    configuration.httpVersion = .http1Only
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
    // A node that does not answer is asked again by the next request, if at all.
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
  }

  /// Sends a request to the node at an origin, such as `http://10.0.0.2:8080`; throws where the response's head has not
  /// come in that time.
  package func send(
    _ message: Message,
    to origin: String,
    within time: Duration
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: origin + message.target)
    request.method = .init(rawValue: message.method)
    for (name, value) in message.headers { request.headers.add(name: name, value: value) }
    if let stream = message.stream {
      let length = stream.length.map { HTTPClientRequest.Body.Length.known($0) } ?? .unknown
      request.body = .stream(Buffers(parts: stream.parts), length: length)
    } else if let body = message.body {
      request.body = .bytes(ByteBuffer(bytes: body))
    }
    let answer = try await client.execute(request, deadline: .now() + TimeAmount(time))
    return Answer(
      status: Int(answer.status.code),
      headers: answer.headers.map { ($0.name, $0.value) },
      body: Body(parts: AnswerParts(answer.body))
    )
  }

  /// Asks for a short text; nil where it has not come whole in that time, or is longer than so many bytes.
  package func text(
    of message: Message,
    from origin: String,
    upTo limit: Int,
    within time: Duration
  ) async -> String? {
    await withTaskGroup(of: String?.self) { group in
      group.addTask { [self] in
        guard let answer = try? await send(message, to: origin, within: time) else { return nil }
        var text: [UInt8] = []
        do {
          for try await part in answer.body {
            text += part
            guard text.count <= limit else { return nil }
          }
        } catch {
          return nil
        }
        return String(decoding: text, as: UTF8.self)
      }
      // The client's own deadline ends with the response's head.
      group.addTask {
        try? await Task.sleep(for: time)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }

  /// Ends the connections.
  package func shutdown() async throws { try await client.shutdown() }
}

/// The parts of a response's body, whose wait somebody else than the reader may end.
private actor AnswerParts {
  private var parts: HTTPClientResponse.Body.AsyncIterator?
  private var asked: Task<[UInt8]?, any Error>?

  init(_ body: HTTPClientResponse.Body) { parts = body.makeAsyncIterator() }

  /// One asks at a time.
  func next() async throws -> [UInt8]? {
    let task = Task { try await take() }
    asked = task
    defer { asked = nil }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  func cancel() {
    // Without its reader the request ends.
    parts = nil
    asked?.cancel()
  }

  private func take() async throws -> [UInt8]? {
    guard var reading = parts else { throw CancellationError() }
    let part = try await reading.next(isolation: self)
    if parts != nil { parts = reading }
    return part.map { Array(buffer: $0) }
  }
}

/// The parts of a body as the HTTP client takes them.
private struct Buffers: AsyncSequence, Sendable {
  let parts: any AsyncSequence<[UInt8], any Error> & Sendable

  struct AsyncIterator: AsyncIteratorProtocol {
    var base: any AsyncIteratorProtocol<[UInt8], any Error>

    mutating func next() async throws -> ByteBuffer? {
      try await base.next(isolation: nil).map { ByteBuffer(bytes: $0) }
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: Self.iterator(parts)) }

  private static func iterator(
    _ parts: some AsyncSequence<[UInt8], any Error>
  ) -> any AsyncIteratorProtocol<[UInt8], any Error> {
    parts.makeAsyncIterator()
  }
}
