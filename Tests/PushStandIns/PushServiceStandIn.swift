import Synchronization

/// A stand-in of a browser's push service (RFC 8030): wants what the RFC wants of a request, and keeps what it accepts.
///
/// It decrypts nothing and trusts every VAPID header; who reads `pushes` checks them.
package final class PushServiceStandIn: Sendable {
  private struct State {
    var pushes: [StandInRequest] = []
    var count = 0
    var replies: [String: [StandInReply]] = [:]
  }

  private let keepsPushes: Bool
  private let state = Mutex(State())

  private init(keepsPushes: Bool) { self.keepsPushes = keepsPushes }

  /// Starts one; for measurements it need not keep what it accepts.
  package static func start(
    certificate: StandInCertificate,
    port: Int = 0,
    keepsPushes: Bool = true
  ) async throws -> (PushServiceStandIn, StandInServer) {
    let standIn = PushServiceStandIn(keepsPushes: keepsPushes)
    let server = try await StandInServer(
      certificate: certificate,
      limits: .init(first: 100, then: 100),
      port: port,
      handler: { standIn.reply(to: $0) }
    )
    return (standIn, server)
  }

  /// The requests that were accepted, in order.
  package var pushes: [StandInRequest] { state.withLock { $0.pushes } }

  /// The number of requests that were accepted.
  package var count: Int { state.withLock { $0.count } }

  /// Has the next requests for a path get these replies instead of being checked.
  package func script(_ path: String, _ replies: [StandInReply]) {
    state.withLock { $0.replies[path] = replies }
  }

  private func reply(to request: StandInRequest) -> StandInReply {
    let scripted = state.withLock { state -> StandInReply? in
      guard let next = state.replies[request.path]?.first else { return nil }
      state.replies[request.path]?.removeFirst()
      return next
    }
    if let scripted { return scripted }
    let headers = request.headers
    guard request.method == "POST", headers["ttl"].flatMap(Int.init) != nil,
      headers["content-encoding"] == "aes128gcm"
    else { return .answer(status: 400) }
    guard headers["authorization"]?.hasPrefix("vapid t=") == true else {
      return .answer(status: 401)
    }
    if request.body.count > 4_096 { return .answer(status: 413) }
    state.withLock { state in
      state.count += 1
      if keepsPushes { state.pushes.append(request) }
    }
    return .answer(status: 201, headers: ["location": "/message/1"])
  }
}
