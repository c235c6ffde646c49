/// Repeats idempotent calls that failed for a reason that may pass.
///
/// The wait doubles from `firstDelay` up to `longestDelay`, each time shortened by a random part
/// so that clients do not come back in step. A `Retry-After` in seconds is honoured up to the same
/// limit. Calls that are not idempotent pass once, whatever happens to them.
package struct Retry: Interceptor {
  private let attempts: Int
  private let firstDelay: Duration
  private let longestDelay: Duration
  private let clock: any Clock<Duration>
  private let jitter: @Sendable () -> Double

  /// - Parameters:
  ///   - attempts: The largest number of times that a call is sent, the first time included.
  ///   - jitter: A number in 0...1: the share of the wait's second half that is used.
  package init(
    attempts: Int = 3,
    firstDelay: Duration = .milliseconds(200),
    longestDelay: Duration = .seconds(5),
    clock: any Clock<Duration> = ContinuousClock(),
    jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    precondition(attempts >= 1)
    self.attempts = attempts
    self.firstDelay = firstDelay
    self.longestDelay = longestDelay
    self.clock = clock
    self.jitter = jitter
  }

  package func intercept(
    _ request: HTTPRequest,
    next: @escaping @Sendable (HTTPRequest) async throws -> HTTPReply
  ) async throws -> HTTPReply {
    guard request.isIdempotent else { return try await next(request) }
    var attempt = 1
    while true {
      let outcome = await outcome(of: request, next: next)
      guard attempt < attempts, isPassing(outcome) else { return try outcome.get() }
      try await clock.sleep(for: delay(after: attempt, outcome))
      attempt += 1
    }
  }

  private func outcome(
    of request: HTTPRequest,
    next: @Sendable (HTTPRequest) async throws -> HTTPReply
  ) async -> Result<HTTPReply, any Error> {
    do { return .success(try await next(request)) } catch { return .failure(error) }
  }

  private func isPassing(_ outcome: Result<HTTPReply, any Error>) -> Bool {
    switch outcome {
    case .success(let reply): [408, 429, 502, 503, 504].contains(reply.status)
    case .failure(let error as RequestError): error.code == .transport || error.code == .timedOut
    case .failure: false
    }
  }

  private func delay(after attempt: Int, _ outcome: Result<HTTPReply, any Error>) -> Duration {
    if case .success(let reply) = outcome,
      let asked = reply.headers["retry-after"].flatMap(Int.init)
    {
      return min(.seconds(max(0, asked)), longestDelay)
    }
    let whole = min(firstDelay * (1 << (attempt - 1)), longestDelay)
    return whole * (0.5 + 0.5 * jitter())
  }
}
