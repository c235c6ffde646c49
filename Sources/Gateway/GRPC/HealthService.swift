import FirestoreModel
import FirestoreService
import FirestoreWire
import Synchronization

/// `grpc.health.v1.Health`: whether the server takes requests.
///
/// A watch sends the status at once, and once more when the server stops.
final class HealthService: Sendable {
  /// A watch that was told the first status and waits for the next.
  fileprivate typealias Waiter = @Sendable (Result<[[UInt8]], FirestoreError>) -> Void

  private struct State {
    var isStopping = false
    var waiters: [ObjectIdentifier: Waiter] = [:]
  }

  fileprivate static let stopped = [HealthCheckResponse(status: .notServing).encoded()]

  private let services: Set<String> = ["", "google.firestore.v1.Firestore"]
  private let state = Mutex(State())

  /// Answers Check.
  func check(_ request: [UInt8]) -> Result<[UInt8], FirestoreError> {
    Result { () throws(FirestoreError) in
      let status = try status(request)
      guard status != .serviceUnknown else { throw FirestoreError(.notFound, "unknown service") }
      return HealthCheckResponse(status: status).encoded()
    }
  }

  /// Answers Watch.
  func watch(_ request: [UInt8]) -> Result<any ResponseStream, FirestoreError> {
    Result { () throws(FirestoreError) in
      HealthWatch(health: self, first: HealthCheckResponse(status: try status(request)).encoded())
    }
  }

  /// Tells every watcher, present and future, that the server stops.
  func stop() {
    let waiters = state.withLock { state in
      state.isStopping = true
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter(.success(Self.stopped)) }
  }

  private func status(
    _ request: [UInt8]
  ) throws(FirestoreError) -> HealthCheckResponse.Status {
    guard services.contains(try HealthCheckRequest(decoding: request).service) else {
      return .serviceUnknown
    }
    return state.withLock { $0.isStopping } ? .notServing : .serving
  }

  fileprivate func wait(_ watch: HealthWatch, _ waiter: @escaping Waiter) {
    let isStopping = state.withLock { state in
      if !state.isStopping { state.waiters[ObjectIdentifier(watch)] = waiter }
      return state.isStopping
    }
    if isStopping { waiter(.success(Self.stopped)) }
  }

  fileprivate func forget(_ watch: HealthWatch) {
    state.withLock { $0.waiters[ObjectIdentifier(watch)] = nil }
  }
}

/// One watch: the status, the stop, the end.
private final class HealthWatch: ResponseStream {
  private enum Step {
    case first([UInt8])
    case stop
    case end
  }

  private let health: HealthService
  private let step: Mutex<Step>

  init(health: HealthService, first: [UInt8]) {
    self.health = health
    step = Mutex(.first(first))
  }

  func next(
    maxBytes: Int,
    respond: @escaping @Sendable (Result<[[UInt8]], FirestoreError>) -> Void
  ) {
    let current = step.withLock { step in
      let current = step
      step = if case .first = current { .stop } else { .end }
      return current
    }
    switch current {
    case .first(let message): respond(.success([message]))
    case .stop: health.wait(self, respond)
    case .end: respond(.success([]))
    }
  }

  deinit { health.forget(self) }
}
