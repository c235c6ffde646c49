import AsyncHTTPClient
import NIOCore
import NIOPosix
import PushMessaging

/// Hands messages to push services (RFC 8030): browsers' and those of UnifiedPush.
///
/// A message is encrypted here, as late as possible, for its one receiver; ciphertext is kept nowhere.
package final class WebPushTransport: PushTransport {
  private let pool: PushHostPool
  private let tokens = VAPIDTokens()
  /// Seconds since 1970.
  private let clock: @Sendable () -> Int

  /// A transport to those hosts; `authorities` is a PEM file to trust besides the system's.
  package convenience init(
    _ hosts: PushHosts,
    authorities: String? = nil,
    group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    clock: @escaping @Sendable () -> Int
  ) {
    var settings = PushHostSettings(group: group)
    settings.authorities = authorities
    self.init(hosts, settings: settings, clock: clock)
  }

  init(_ hosts: PushHosts, settings: PushHostSettings, clock: @escaping @Sendable () -> Int) {
    pool = PushHostPool(hosts, settings: settings)
    self.clock = clock
  }

  /// Ends the connections, once the requests in flight are over.
  package func shutdown() async { await pool.shutdown() }

  /// Sends a message to its push service; one that sends 503 with `Retry-After` gets no more until then.
  package func hand(_ parcel: PushParcel) async -> PushOutcome {
    do {
      let delivery = try WebPushDelivery(parcel)
      let now = clock()
      let answer = try await send(try request(delivery, now: now), to: delivery.url)
      let outcome = WebPushAnswer.outcome(answer, now: now)
      if answer.status == 503, case .retry(let time?, _) = outcome {
        try await pool.client(for: delivery.url).pause(for: time)
      }
      return outcome
    } catch {
      return Self.outcome(error)
    }
  }

  private func request(_ delivery: WebPushDelivery, now: Int) throws -> HTTPClientRequest {
    let origin = delivery.url.origin
    return try delivery.request(
      authorization: tokens.authorization(delivery.pair, origin: origin, now: now)
    )
  }

  /// Sends a request, and twice more where its connection went away under it.
  private func send(
    _ request: HTTPClientRequest,
    to url: FetchURL
  ) async throws -> PushHostClient.Answer {
    for _ in 1..<PushHostClient.attempts {
      do {
        return try await pool.client(for: url).send(request)
      } catch {
        guard PushHostClient.isWorthRepeating(error) else { throw error }
      }
    }
    return try await pool.client(for: url).send(request)
  }

  private static func outcome(_ error: any Error) -> PushOutcome {
    switch error {
    case let refusal as WebPushDelivery.Refusal: refusal.outcome
    case let error as OutboundError: outcome(error)
    case PushHostClient.Refusal.paused(let time):
      .retry(after: time, reason: "requests to the push service are paused")
    case PushHostClient.Refusal.busy:
      .retry(after: .seconds(1), reason: "too many requests in flight to the push service")
    default: .retry(after: nil, reason: "no answer")
    }
  }

  private static func outcome(_ error: OutboundError) -> PushOutcome {
    switch error.code {
    case .refused, .rejected: .refused(reason: error.message)
    case .unreachable: .retry(after: nil, reason: "the push service has no address")
    case .overloaded: .retry(after: nil, reason: error.message)
    }
  }
}
