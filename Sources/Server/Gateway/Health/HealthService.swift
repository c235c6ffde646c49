import Access
import BaseStatus
import FirestoreWire
import ServiceModule
import Synchronization

/// `grpc.health.v1.Health`: whether the server takes requests and can do its work.
///
/// A watch sends the status at once and whenever it has changed; it ends with the server.
final class HealthService: Sendable {
  private struct State {
    var isWell = true
    var isStopping = false
    /// Watches with a sent status, to be evaluated again when that has changed.
    var waiting: [ObjectIdentifier: @Sendable () -> Void] = [:]

    var status: HealthCheckResponse.Status { isWell && !isStopping ? .serving : .notServing }
  }

  /// The next step of a watch.
  fileprivate enum Step {
    case tell(HealthCheckResponse.Status)
    case wait
    case end
  }

  /// Empty is the server as a whole.
  private let services: Set<String>
  private let state = Mutex(State())

  /// Reports the server's health to callers that ask for one of those gRPC services.
  init(_ health: ServerHealth, of services: some Sequence<String>) {
    self.services = Set(services).union([""])
    health.observe { [weak self] isWell in self?.change { $0.isWell = isWell } }
  }

  /// The gRPC methods.
  var methods: [ServiceMethod] {
    [
      ServiceMethod(
        path: "/grpc.health.v1.Health/Check",
        name: "Health",
        handler: .unary { [self] request, _, respond in respond(check(request)) }
      ),
      ServiceMethod(
        path: "/grpc.health.v1.Health/Watch",
        name: "Health",
        handler: .serverStreaming { [self] request, _, respond in respond(watch(request)) }
      ),
    ]
  }

  /// Answers Check.
  func check(_ request: [UInt8]) -> Result<[UInt8], ServiceError> {
    Result { () throws(ServiceError) in
      guard try isKnown(request) else { throw ServiceError(.notFound, "unknown service") }
      return HealthCheckResponse(status: state.withLock { $0.status }).encoded()
    }
  }

  /// Answers Watch.
  func watch(_ request: [UInt8]) -> Result<any ResponseStream, ServiceError> {
    Result { () throws(ServiceError) in
      HealthWatch(health: self, isOfKnownService: try isKnown(request))
    }
  }

  /// Notifies every watcher, present and future, that the server stops.
  func stop() { change { $0.isStopping = true } }

  private func isKnown(_ request: [UInt8]) throws(ServiceError) -> Bool {
    services.contains(try HealthCheckRequest(decoding: request).service)
  }

  private func change(_ change: (inout State) -> Void) {
    let waiting = state.withLock { state in
      change(&state)
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for askAgain in waiting { askAgain() }
  }

  /// Returns the next step of a watch that has sent `told`; if that must wait, `askAgain` is called
  /// once.
  fileprivate func step(
    of watch: HealthWatch,
    told: HealthCheckResponse.Status?,
    _ askAgain: @escaping @Sendable () -> Void
  ) -> Step {
    state.withLock { state in
      let status = watch.isOfKnownService ? state.status : .serviceUnknown
      guard status == told else { return .tell(status) }
      guard !state.isStopping else { return .end }
      state.waiting[ObjectIdentifier(watch)] = askAgain
      return .wait
    }
  }

  fileprivate func forget(_ watch: HealthWatch) {
    state.withLock { $0.waiting[ObjectIdentifier(watch)] = nil }
  }
}

/// One watch: a status, each other one that follows, the end.
private final class HealthWatch: ResponseStream {
  let isOfKnownService: Bool
  private let health: HealthService
  private let told = Mutex<HealthCheckResponse.Status?>(nil)

  init(health: HealthService, isOfKnownService: Bool) {
    self.health = health
    self.isOfKnownService = isOfKnownService
  }

  func next(
    maxBytes: Int,
    respond: @escaping @Sendable (Result<[[UInt8]], ServiceError>) -> Void
  ) {
    let step = health.step(of: self, told: told.withLock { $0 }) { [weak self] in
      self?.next(maxBytes: maxBytes, respond: respond)
    }
    switch step {
    case .tell(let status):
      told.withLock { $0 = status }
      respond(.success([HealthCheckResponse(status: status).encoded()]))
    case .wait: break
    case .end: respond(.success([]))
    }
  }

  deinit { health.forget(self) }
}
