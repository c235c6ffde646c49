import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The transport to one origin: a client that connects to the checked address, a breaker, and a
/// bound for requests in flight.
final class PushHostClient: Sendable {
  /// The reason why a request was not sent.
  enum Refusal: Error, Sendable {
    /// The host gets no request before that time has passed.
    case paused(Duration)
    /// As many requests are in flight as the host may have.
    case busy
    /// The client is retired: ask the pool for another one.
    case retired
  }

  /// The response of a host.
  struct Answer: Sendable {
    let status: Int
    let headers: [String: String]
    let body: [UInt8]
  }

  private struct State {
    var breaker = HostBreaker()
    var inFlight = 0
    /// The time that a response takes, over about the last eight.
    var answerTime: Duration

    mutating func note(_ time: Duration) { answerTime += (time - answerTime) / 8 }
  }

  /// The number of times that a request is sent if connections end under it: a pool may supply one
  /// more that is about to end.
  static let attempts = 3

  /// The number of bytes of a response's body that are read.
  private static let bodyLimit = 4_096

  let address: NetworkAddress?
  private let client: LeasedClient
  private let bounds: PushHostBounds
  private let timeout: Duration
  private let state: Mutex<State>

  /// A way over `client`, which lies at `address`.
  init(
    _ client: HTTPClient,
    address: NetworkAddress?,
    bounds: PushHostBounds,
    timeout: Duration
  ) {
    self.client = LeasedClient(client)
    self.address = address
    self.bounds = bounds
    self.timeout = timeout
    state = Mutex(State(answerTime: bounds.quickAnswer))
  }

  /// The number of requests in flight.
  var load: Int { state.withLock { $0.inFlight } }

  /// True if nothing is in flight.
  var isIdle: Bool { load == 0 }

  /// Lets no new request begin.
  func retire() async { await client.retire() }

  /// Sends a request and reads the response.
  ///
  /// Answers of 500 and more count as failures of the host, and so do silence and connections that can't be made. One that
  /// ends under many requests does not: it would be as many failures. Throws `Refusal`, or what the client
  /// throws where no response came.
  func send(_ request: HTTPClientRequest) async throws -> Answer {
    try admit()
    guard let leased = client.lease() else {
      settle { $0.abandon(at: .now) }
      throw Refusal.retired
    }
    let begun = ContinuousClock.now
    do {
      let answer = try await perform(request, leased)
      settle(after: .now - begun) { answer.status < 500 ? $0.succeed() : $0.fail(at: .now) }
      await client.release()
      return answer
    } catch {
      let isFailure = !Task.isCancelled && Self.isFailureOfHost(error)
      settle(after: isFailure ? .now - begun : nil) {
        isFailure ? $0.fail(at: .now) : $0.abandon(at: .now)
      }
      await client.release()
      throw error
    }
  }

  /// Leaves the host alone for that time.
  func pause(for time: Duration) {
    state.withLock { $0.breaker.pause(for: time, at: .now) }
  }

  private func admit() throws(Refusal) {
    try state.withLock { state throws(Refusal) in
      let isQuick = state.answerTime < bounds.quickAnswer
      guard state.inFlight < (isQuick ? bounds.quick : bounds.slow) else { throw .busy }
      // Queues count in seconds: a shorter time would retry immediately.
      if case .wait(let time) = state.breaker.admit(at: .now) {
        throw .paused(.seconds(time.components.seconds + 1))
      }
      state.inFlight += 1
    }
  }

  private func settle(after time: Duration? = nil, _ report: (inout HostBreaker) -> Void) {
    state.withLock { state in
      state.inFlight -= 1
      if let time { state.note(time) }
      report(&state.breaker)
    }
  }

  private static func isFailureOfHost(_ error: any Error) -> Bool {
    switch error {
    case let error as HTTPClientError: isSilence(error)
    case is NIOConnectionError, is NIOSSLError, is NIOSSLExtraError: true
    default: false
    }
  }

  /// Returns true if a request may be sent again at once: a connection that ended shows nothing
  /// about the message, while silence took the time there was.
  static func isWorthRepeating(_ error: any Error) -> Bool {
    if Task.isCancelled { return false }
    return switch error {
    case let error as HTTPClientError: !isSilence(error)
    case Refusal.retired: true
    case is Refusal, is OutboundError, is NIOConnectionError, is NIOSSLError, is NIOSSLExtraError:
      false
    default: true
    }
  }

  /// Returns true if an error means that no response came in time.
  static func isSilence(_ error: HTTPClientError) -> Bool {
    [.deadlineExceeded, .readTimeout, .connectTimeout, .getConnectionFromPoolTimeout]
      .contains(error)
  }

  private func perform(_ request: HTTPClientRequest, _ client: HTTPClient) async throws -> Answer {
    let deadline = NIODeadline.now() + TimeAmount(timeout)
    let response = try await client.execute(request, deadline: deadline)
    var body: [UInt8] = []
    do {
      // Most responses say that they have no body: those need no second timer.
      body =
        response.headers.first(name: "content-length") == "0"
        ? Array(buffer: try await response.body.collect(upTo: Self.bodyLimit))
        : Array(buffer: try await response.body.collect(upTo: Self.bodyLimit, by: deadline))
    } catch is NIOTooManyBytesError {
      // The status is enough; longer text is a page for people.
    }
    let headers = response.headers.map { ($0.name.lowercased(), $0.value) }
    return Answer(
      status: Int(response.status.code),
      headers: Dictionary(headers) { first, _ in first },
      body: body
    )
  }
}
