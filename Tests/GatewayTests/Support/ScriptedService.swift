import Access
import BaseRuntime
import BaseStatus
import Dispatch
import FirestoreService
import FirestoreWire
import Synchronization

/// A service whose methods each do one thing that a transport has to cope with.
final class ScriptedService: RPCService {
  /// A call that nobody has answered yet.
  struct Held: Sendable {
    let context: CallContext
    let respond: @Sendable (Result<[UInt8], ServiceError>) -> Void
  }

  private struct State {
    var held: [Held] = []
    var holders: [CheckedContinuation<Held, Never>] = []
    var contexts: [CallContext] = []
    var opened: [ScriptedCall] = []
    var openers: [CheckedContinuation<ScriptedCall, Never>] = []
  }

  private let state = Mutex(State())
  /// The number of messages that streams have produced so far.
  let produced = Counter()

  /// The circumstances of every call so far.
  var contexts: [CallContext] { state.withLock { $0.contexts } }

  func unary(
    _ method: RPCMethod,
    request: [UInt8],
    context: CallContext,
    respond: @escaping @Sendable (Result<[UInt8], ServiceError>) -> Void
  ) {
    state.withLock { $0.contexts.append(context) }
    switch method {
    case .commit:
      // Answers from another thread.
      DispatchQueue.global().async { respond(.success(request)) }
    case .deleteDocument:
      respond(.failure(ServiceError(.notFound, "No document: 100 % é")))
    case .rollback, .partitionQuery:
      respond(.success([BlockingCheck.isAlone ? 1 : 0]))
    case .updateDocument:
      hold(Held(context: context, respond: respond))
    default:
      respond(.success(request))
    }
  }

  /// Knows everybody but the bearer `refused`.
  func recognizes(_ context: CallContext) -> Bool {
    context.authorization.map { $0 != "Bearer refused" } ?? false
  }

  /// Write echoes; Listen does what its test does with it; both refuse the bearer `refused`.
  func open(
    _ method: RPCMethod,
    context: CallContext,
    responses: any StreamResponses
  ) throws(ServiceError) -> any StreamCall {
    state.withLock { $0.contexts.append(context) }
    if context.authorization == "Bearer refused" {
      throw ServiceError(.unauthenticated, "Missing or invalid authentication.")
    }
    let call = ScriptedCall(context: context, responses: responses, echoes: method == .write)
    let opener = state.withLock { state -> CheckedContinuation<ScriptedCall, Never>? in
      if state.openers.isEmpty { state.opened.append(call) }
      return state.openers.isEmpty ? nil : state.openers.removeFirst()
    }
    opener?.resume(returning: call)
    return call
  }

  /// The next bidirectional call.
  func nextOpened() async -> ScriptedCall {
    await withCheckedContinuation { continuation in
      let call = state.withLock { state -> ScriptedCall? in
        if state.opened.isEmpty { state.openers.append(continuation) }
        return state.opened.isEmpty ? nil : state.opened.removeFirst()
      }
      if let call { continuation.resume(returning: call) }
    }
  }

  /// Has one path, `/v1/projects/p/databases`, and answers its method and body.
  func administer(
    _ request: AdminRequest,
    context: CallContext,
    respond: @escaping @Sendable (Result<[UInt8]?, ServiceError>) -> Void
  ) {
    guard case .rest(let method, "/v1/projects/p/databases", _, let bytes) = request else {
      return respond(.success(nil))
    }
    let body = String(decoding: bytes, as: UTF8.self)
    respond(.success(Array("{\"\(method)\":\(body.isEmpty ? "null" : body)}".utf8)))
  }

  /// RunQuery streams as many messages of 1,000 bytes as the request's text says, BatchGetDocuments
  /// the same from other threads, RunAggregationQuery one message and then an error.
  func stream(
    _ method: RPCMethod,
    request: [UInt8],
    context: CallContext,
    respond: @escaping @Sendable (Result<any ResponseStream, ServiceError>) -> Void
  ) {
    let count = Int(String(decoding: request.filter { (0x30...0x39).contains($0) }, as: UTF8.self))
    switch method {
    case .runQuery:
      respond(.success(NumberedStream(count: count ?? 0, produced: produced)))
    case .batchGetDocuments:
      DispatchQueue.global().async {
        respond(.success(NumberedStream(count: count ?? 0, produced: self.produced, hops: true)))
      }
    case .runAggregationQuery:
      respond(.success(NumberedStream(count: 1, produced: produced, fails: true)))
    default:
      respond(.failure(ServiceError(.failedPrecondition, "no such stream")))
    }
  }

  /// The next call of UpdateDocument, which waits for its response.
  func nextHeld() async -> Held {
    await withCheckedContinuation { continuation in
      let held = state.withLock { state -> Held? in
        if state.held.isEmpty { state.holders.append(continuation) }
        return state.held.isEmpty ? nil : state.held.removeFirst()
      }
      if let held { continuation.resume(returning: held) }
    }
  }

  private func hold(_ held: Held) {
    let holder = state.withLock { state -> CheckedContinuation<Held, Never>? in
      if state.holders.isEmpty { state.held.append(held) }
      return state.holders.isEmpty ? nil : state.holders.removeFirst()
    }
    holder?.resume(returning: held)
  }
}

/// A count that several threads may raise.
final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .relaxed) }

  func add(_ amount: Int) { count.wrappingAdd(amount, ordering: .relaxed) }
}

/// Messages of 1,000 bytes, numbered by their first byte.
final class NumberedStream: ResponseStream {
  private let count: Int
  private let produced: Counter
  private let hops: Bool
  private let fails: Bool
  private let position = Mutex(0)

  init(count: Int, produced: Counter, hops: Bool = false, fails: Bool = false) {
    self.count = count
    self.produced = produced
    self.hops = hops
    self.fails = fails
  }

  func next(
    maxBytes: Int,
    respond: @escaping @Sendable (Result<[[UInt8]], ServiceError>) -> Void
  ) {
    let part = position.withLock { position -> [[UInt8]] in
      let end = min(count, position + max(1, maxBytes / 1_000))
      defer { position = end }
      return (position..<end).map { Array(repeating: UInt8(0x41 + $0 % 26), count: 1_000) }
    }
    produced.add(part.count)
    let answer: Result<[[UInt8]], ServiceError> =
      fails && part.isEmpty
      ? .failure(ServiceError(.aborted, "stopped half-way")) : .success(part)
    if hops { DispatchQueue.global().async { respond(answer) } } else { respond(answer) }
  }
}
