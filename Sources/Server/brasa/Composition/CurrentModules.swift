import Access
import BaseRuntime
import BaseStatus
import KeyValueStore
import ServiceModule
import Synchronization

extension ServiceModule {
  /// The service on one of several nodes: a request is handled when memory is current, so that it is answered as if one node
  /// had done all that was acknowledged before.
  ///
  /// Nothing is answered on an event loop, since whether memory is current is asked of the store.
  func current(in engine: any KeyValueEngine, threads: EngineThreads) -> ServiceModule {
    var module = self
    module.routes = routes.map { $0.current(in: engine) }
    if let root { module.root?.route = root.route.current(in: engine) }
    module.methods = methods.map { $0.current(in: engine, threads: threads) }
    module.sites?.becomeCurrent = { try await engine.becomeCurrent() }
    if let fallback {
      module.fallback = { request in
        try await engine.becomeCurrent()
        return try await fallback(request)
      }
    }
    return module
  }
}

extension HTTPRoute {
  fileprivate func current(in engine: any KeyValueEngine) -> HTTPRoute {
    let handler = handler
    return handled { request in
      try await engine.becomeCurrent()
      return try await handler(request)
    }
  }

  /// The same route with another handler, and without those that answer on an event loop.
  func handled(by handler: @escaping Handler) -> HTTPRoute {
    var route = HTTPRoute(methods, pattern, for: audience, handler: handler)
    route.takesStream = takesStream
    route.isPassedOn = isPassedOn
    route.decidesOrigins = decidesOrigins
    route.yields = yields
    route.demand = demand
    route.recency = recency
    return route
  }
}

extension ServiceMethod {
  fileprivate func current(
    in engine: any KeyValueEngine,
    threads: EngineThreads
  ) -> ServiceMethod {
    let gate = CurrentGate(engine: engine, threads: threads)
    let waiting: Handler
    switch handler {
    case .unary(let handle):
      waiting = .unary { request, context, respond in
        gate.run(context, respond) { handle(request, context, respond) }
      }
    case .serverStreaming(let handle):
      waiting = .serverStreaming { request, context, respond in
        gate.run(context, respond) { handle(request, context, respond) }
      }
    case .bidirectional(let open):
      waiting = .bidirectional { (context, responses) throws(ServiceError) in
        let call = try open(context, responses)
        return CurrentStreamCall(call, responses) { gate.run(context, $0) }
      }
    }
    var method = ServiceMethod(path: path, name: name, json: json, handler: waiting)
    method.isReading = isReading
    return method
  }
}

extension KeyValueEngine {
  /// Returns when memory is current.
  func becomeCurrent() async throws {
    do {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        whenCurrent { continuation.resume(with: $0) }
      }
    } catch {
      throw CurrentGate.failure(error)
    }
  }
}

/// Lets calls wait until memory is current, and continue on an engine thread, so that the
/// responding thread is free for the next one.
private struct CurrentGate: Sendable {
  let engine: any KeyValueEngine
  let threads: EngineThreads

  func run(
    _ context: CallContext,
    _ body: @escaping @Sendable (Result<Void, ServiceError>) -> Void
  ) {
    engine.whenCurrent { [threads] result in
      let result = result.mapError(Self.failure)
      let isAccepted = threads.submit(caller: context.network) { body(result) }
      if !isAccepted {
        body(.failure(ServiceError(.resourceExhausted, "The server is overloaded.")))
      }
    }
  }

  /// Runs a call's body, or answers with what failed.
  func run<Answer>(
    _ context: CallContext,
    _ respond: @escaping @Sendable (Result<Answer, ServiceError>) -> Void,
    _ body: @escaping @Sendable () -> Void
  ) {
    run(context) { result in
      switch result {
      case .success: body()
      case .failure(let error): respond(.failure(error))
      }
    }
  }

  static func failure(_ error: any Error) -> ServiceError {
    ServiceError(.unavailable, "The service is temporarily unavailable.", cause: error)
  }
}

/// A bidirectional call whose messages are handed on when memory is current.
///
/// The messages keep their order: those that come while a question is asked wait for the next one. The transport calls one
/// method at a time, and one thread hands on.
private final class CurrentStreamCall: StreamCall {
  private enum Event: Sendable {
    case message([UInt8])
    case endOfRequests
  }

  private struct State {
    /// The events that wait for the question in progress.
    var asked: [Event] = []
    /// The events that came since.
    var waiting: [Event] = []
    var waitingBytes = 0
    var isAsking = false
    var isOver = false
  }

  private let call: any StreamCall
  private let responses: any StreamResponses
  private let whenCurrent:
    @Sendable (@escaping @Sendable (Result<Void, ServiceError>) -> Void) -> Void
  private let state = Mutex(State())

  /// The number of bytes that a client may send while the store is asked.
  private static let maximumBytes = 32 << 20

  init(
    _ call: any StreamCall,
    _ responses: any StreamResponses,
    whenCurrent:
      @escaping @Sendable (@escaping @Sendable (Result<Void, ServiceError>) -> Void) -> Void
  ) {
    self.call = call
    self.responses = responses
    self.whenCurrent = whenCurrent
  }

  func receive(_ message: [UInt8]) { take(.message(message), bytes: message.count) }

  func finishRequests() { take(.endOfRequests, bytes: 0) }

  func cancel() {
    state.withLock { $0 = State(isOver: true) }
    call.cancel()
  }

  func resumeSending() { call.resumeSending() }

  func drain() -> Bool { call.drain() }

  private func take(_ event: Event, bytes: Int) {
    let (mustAsk, isTooMuch) = state.withLock { state -> (Bool, Bool) in
      guard !state.isOver else { return (false, false) }
      state.waitingBytes += bytes
      guard state.waitingBytes <= Self.maximumBytes else { return (false, true) }
      state.waiting.append(event)
      guard !state.isAsking else { return (false, false) }
      state.isAsking = true
      state.asked = state.waiting
      (state.waiting, state.waitingBytes) = ([], 0)
      return (true, false)
    }
    if isTooMuch { end(ServiceError(.resourceExhausted, "Too many messages are pending.")) }
    if mustAsk { ask() }
  }

  private func ask() { whenCurrent { [self] in goOn($0) } }

  private func goOn(_ result: Result<Void, ServiceError>) {
    if case .failure(let error) = result { return end(error) }
    for event in state.withLock({ $0.asked }) {
      guard !state.withLock({ $0.isOver }) else { return }
      switch event {
      case .message(let bytes): call.receive(bytes)
      case .endOfRequests: call.finishRequests()
      }
    }
    let mustAsk = state.withLock { state in
      guard !state.isOver else { return false }
      state.asked = state.waiting
      (state.waiting, state.waitingBytes) = ([], 0)
      state.isAsking = !state.asked.isEmpty
      return state.isAsking
    }
    if mustAsk { ask() }
  }

  private func end(_ error: ServiceError) {
    let isFirst = state.withLock { state in
      defer { state = State(isOver: true) }
      return !state.isOver
    }
    guard isFirst else { return }
    responses.finish(error)
    call.cancel()
  }
}
