import AsyncHTTPClient
import NIOCore
import NIOPosix
import PushMessaging

/// Hands messages to Apple's push service over HTTP/2, with provider tokens.
package final class APNsTransport: PushTransport {
  private let endpoints: APNsEndpoints
  private let production: APNsConnections
  private let sandbox: APNsConnections
  private let tokens = APNsTokens()
  private let environments = APNsEnvironments()
  /// Seconds since 1970.
  private let clock: @Sendable () -> Int

  /// A transport with two connections to each environment, opened when they are needed; more while these have much to do.
  package convenience init(
    _ endpoints: APNsEndpoints,
    group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    clock: @escaping @Sendable () -> Int
  ) {
    self.init(endpoints, settings: PushHostSettings(group: group), connections: 2, clock: clock)
  }

  init(
    _ endpoints: APNsEndpoints,
    settings: PushHostSettings,
    connections: Int,
    saturation: Int = 500,
    clock: @escaping @Sendable () -> Int
  ) {
    var settings = settings
    settings.authorities = endpoints.authorities
    self.endpoints = endpoints
    self.clock = clock
    let made = [PushAddress.Environment.production, .sandbox].map { environment in
      APNsConnections(
        endpoints.origin(environment),
        count: connections,
        saturation: saturation,
        settings: settings
      )
    }
    (production, sandbox) = (made[0], made[1])
  }

  /// Ends the connections, once the requests in flight are over.
  package func shutdown() async {
    await production.shutdown()
    await sandbox.shutdown()
  }

  /// Sends a message in the environment of its token, and in the other one where that does not know it.
  package func hand(_ parcel: PushParcel) async -> PushOutcome {
    do {
      let delivery = try APNsDelivery(parcel)
      let environment = environments.environment(
        of: delivery.token,
        registered: delivery.environment
      )
      let outcome = try await hand(delivery, in: environment)
      if let outcome { return outcome }
      let found = try await hand(delivery, in: environment.other)
      if case .handed? = found { environments.note(delivery.token, in: environment.other) }
      return found ?? .gone(since: nil)
    } catch let refusal as APNsDelivery.Refusal {
      return refusal.outcome
    } catch is APNsTokens.Problem {
      return .unauthorized(reason: "the private key is not a P-256 key in PEM format")
    } catch PushHostClient.Refusal.paused(let time) {
      return .retry(after: time, reason: "requests to Apple's service are paused")
    } catch PushHostClient.Refusal.busy {
      return .retry(after: .seconds(1), reason: "too many requests in flight to Apple's service")
    } catch {
      return .retry(after: nil, reason: "no answer")
    }
  }

  /// Nil where the environment does not know the token.
  private func hand(
    _ delivery: APNsDelivery,
    in environment: PushAddress.Environment
  ) async throws -> PushOutcome? {
    for attempt in 1...2 {
      let now = clock()
      let answer = APNsAnswer(try await send(delivery, in: environment, now: now), now: now)
      switch answer.step {
      case .end(let outcome): return outcome
      case .tryOtherEnvironment: return nil
      case .renewToken:
        guard attempt == 1, tokens.expire(delivery.key, now: now) else {
          return .unauthorized(reason: answer.reason)
        }
      }
    }
    return .retry(after: nil, reason: "ExpiredProviderToken")
  }

  /// Sends a request, and twice more where its connection went away under it.
  private func send(
    _ delivery: APNsDelivery,
    in environment: PushAddress.Environment,
    now: Int
  ) async throws -> PushHostClient.Answer {
    let request = delivery.request(
      origin: endpoints.origin(environment).origin,
      authorization: try tokens.authorization(delivery.key, now: now),
      now: now
    )
    for _ in 1..<PushHostClient.attempts {
      do {
        return try await send(request, in: environment)
      } catch {
        guard PushHostClient.isWorthRepeating(error) else { throw error }
      }
    }
    return try await send(request, in: environment)
  }

  private func send(
    _ request: HTTPClientRequest,
    in environment: PushAddress.Environment
  ) async throws -> PushHostClient.Answer {
    let connections = environment == .production ? production : sandbox
    guard let selection = connections.select() else {
      throw OutboundError(.overloaded, "the server stops")
    }
    do {
      return try await selection.client.send(request)
    } catch let error as HTTPClientError {
      if PushHostClient.isSilence(error) { await connections.replace(selection) }
      throw error
    }
  }
}
