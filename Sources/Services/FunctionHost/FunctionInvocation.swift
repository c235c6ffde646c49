import BaseStatus

// The seam between what causes calls (HTTP requests, events, schedules, sign-ins) and the host that makes them.

/// A function among those of all projects.
package struct HostedFunction: Sendable, Hashable {
  /// The project's id.
  package let project: String
  /// The codebase's name.
  package let codebase: String
  /// The endpoint's name, unique in its codebase.
  package let name: String

  /// A function of a codebase.
  package init(project: String, codebase: String, name: String) {
    self.project = project
    self.codebase = codebase
    self.name = name
  }
}

/// A request to a function, as Google's frameworks expect it.
package struct InvocationRequest: Sendable {
  /// The HTTP method.
  package var method = "POST"
  /// The path below the function, with the query.
  package var target = "/"
  /// The header fields, in order.
  package var headers: [(name: String, value: String)] = []
  /// The whole body.
  package var body: [UInt8] = []
  /// Seconds in which the response has to be whole; nil is the function's own limit.
  package var timeoutSeconds: Int?
  /// The number of events that led to the call, one causing the next: 0 for what no function caused.
  package var depth = 0

  /// A POST without headers.
  package init() {}
}

/// A function's response, whose body arrives as it is read.
package struct InvocationResponse: Sendable {
  /// The HTTP status.
  package let status: Int
  /// The header fields, in order.
  package let headers: [(name: String, value: String)]
  /// The body, for one reader.
  package let body: any AsyncSequence<[UInt8], any Error> & Sendable
  /// Ends the body also while its reader waits.
  package let cancel: @Sendable () -> Void

  /// A response of those parts.
  package init(
    status: Int,
    headers: [(name: String, value: String)],
    body: any AsyncSequence<[UInt8], any Error> & Sendable,
    cancel: @escaping @Sendable () -> Void
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.cancel = cancel
  }

  /// Takes the body part by part.
  package func forEach(_ take: (_ part: [UInt8]) async throws -> Void) async throws {
    try await Self.forEach(body, take)
  }

  private static func forEach(
    _ body: some AsyncSequence<[UInt8], any Error> & Sendable,
    _ take: (_ part: [UInt8]) async throws -> Void
  ) async throws {
    for try await part in body { try await take(part) }
  }

  /// The whole body; throws where it has more bytes than that.
  package func collect(upTo limit: Int) async throws -> [UInt8] {
    try await Self.collect(body, upTo: limit)
  }

  private static func collect(
    _ body: some AsyncSequence<[UInt8], any Error> & Sendable,
    upTo limit: Int
  ) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await part in body {
      bytes += part
      guard bytes.count <= limit else {
        throw ServiceError(.resourceExhausted, "The response of the function is too large.")
      }
    }
    return bytes
  }
}

/// The end of one call, for those who only need to know whether it succeeded.
package enum InvocationOutcome: Sendable {
  /// The function responded.
  case responded(status: Int, body: [UInt8])
  /// There was no response in time.
  case timedOut
  /// There was no response: a crash, or no instance.
  case failed(reason: String)
  /// There is no such function.
  case absent
}

/// Sends requests to instances, over HTTP/1.1 on loopback.
package protocol InstanceTransport: Sendable {
  /// Sends a request to a port of 127.0.0.1; throws where no response begins in that time.
  func send(
    _ request: InvocationRequest,
    port: Int,
    within time: Duration
  ) async throws -> InvocationResponse

  /// Ends all connections; nothing is sent any more.
  func shutdown() async throws
}

/// Opens listeners on loopback by which one instance reaches the server with the rights of its project.
package protocol InstanceListeners: Sendable {
  /// Opens a listener for a project; connections that `admits` refuses are closed before they are read.
  ///
  /// - Parameters:
  ///   - depth: The number of events that led to what the instance does now; read with each of its calls.
  ///   - admits: Returns true if the process that has the connection from that port is the
  ///     instance; may block.
  func open(
    project: String,
    depth: @escaping @Sendable () -> Int,
    admits: @escaping @Sendable (_ client: Int, _ server: Int) -> Bool
  ) async throws -> InstanceListener
}

/// A listener for one instance.
package struct InstanceListener: Sendable {
  /// The port of 127.0.0.1.
  package let port: Int
  /// Closes the listener and its connections.
  package let close: @Sendable () -> Void

  /// A listener at that port.
  package init(port: Int, close: @escaping @Sendable () -> Void) {
    self.port = port
    self.close = close
  }
}

/// Receives the triggers of codebases.
package protocol TriggerRegistry: Sendable {
  /// Throws INVALID_ARGUMENT for endpoints that can't be served; changes nothing.
  func check(_ endpoints: [FunctionEndpoint], project: String, codebase: String) throws
  /// Replaces everything that a codebase has registered.
  func replace(_ endpoints: [FunctionEndpoint], project: String, codebase: String) throws
  /// Removes everything that a codebase has registered.
  func remove(project: String, codebase: String) throws
}
