import Access
import BaseRuntime
import BaseStatus
import BaseText
import FirestoreService
import FirestoreWire
import Gateway
import KeyValuePostgres
import KeyValueStore
import Logging
import Outbound
import ServiceModule
import Synchronization

/// The other nodes of a cluster: finds them, and passes calls and requests on.
///
/// Before any data of a client is sent to a node, the node is greeted, and only a node of this
/// cluster can reply. So credentials reach no one else, and a node that is gone or hangs has not
/// received a request.
final class PeerNodes: CallForwarder {
  let own: NodeNumber
  let secret: NodeSecret
  private let engine: PostgresEngine
  private let threads: EngineThreads
  private let calls: NodeClient
  /// The client for requests of browsers, whose streams end when this node begins to stop.
  private let channels: NodeClient
  /// To the primary: requests, which may end while this node stops, and streams, which last until
  /// either end closes.
  private let requests: (client: NodeClient, passages: PassedRequests)
  private let streams: (client: NodeClient, passages: PassedRequests)
  private let lease: PrimaryLease
  private let jobs: AsyncStream<@Sendable () async -> Void>
  private let submission: AsyncStream<@Sendable () async -> Void>.Continuation
  /// The addresses of nodes that have responded; a number never gets another address.
  private let addresses = Mutex<[NodeNumber: String]>([:])
  /// Nodes that the log has named because nothing reaches them.
  private let unreached = Mutex<Set<NodeNumber>>([])
  private let log = Logger(label: "nodes")

  /// The time since which the primary of a claim, or any primary, was not reached; nil while it is.
  private let homeless = Mutex<(holder: NodeNumber?, since: ContinuousClock.Instant)?>(nil)

  private static let maximumAddresses = 1_000
  /// The time that requests wait for another primary: somewhat longer than a node needs to replace
  /// one that was killed.
  private static let homePatience = Duration.seconds(15)
  private static let primaryPause = Duration.seconds(2)
  /// The time that the head of a response may take: a browser's request waits for its turn in the
  /// session.
  private static let patience = Duration.seconds(60)
  /// The same where it follows an upload of any length, from the upload's end on: the file may still have to be put together.
  private static let uploadPatience = Duration.seconds(330)
  /// The longest upload.
  private static let longestUpload = Duration.seconds(7 * 24 * 3_600)
  /// The time for which requests in flight to a primary may continue after another node has
  /// replaced it.
  private static let grace = Duration.seconds(2)

  /// The nodes of the store that an engine shares; nil for one that has its store alone.
  ///
  /// Has up to `connections` of each kind to a node. Blocks.
  init?(
    engine: PostgresEngine,
    lease: PrimaryLease,
    threads: EngineThreads,
    connections: Int
  ) throws {
    guard let own = engine.nodeNumber else { return nil }
    self.own = own
    self.lease = lease
    self.engine = engine
    self.threads = threads
    secret = try NodeSecret(engine: engine)
    (jobs, submission) = AsyncStream.makeStream()
    calls = NodeClient(connections: connections)
    channels = NodeClient(connections: connections)
    // A device's stream is silent for hours; one that hangs ends when another node becomes the
    // node.
    let (requests, streams) = (
      NodeClient(connections: connections, silence: nil),
      NodeClient(connections: connections, silence: nil)
    )
    self.requests = (requests, PassedRequests(limit: connections))
    self.streams = (streams, PassedRequests(limit: connections))
  }

  /// The gateway's access to the other nodes.
  var gatewayPeers: GatewayPeers {
    let (secret, own) = (secret, own)
    return GatewayPeers(own: own) { [self] request, node in
      await pass(request, to: node)
    } caller: { field, request in
      secret.caller(in: field, of: request, at: own)
    }
  }

  /// Adds figures of the requests in flight to the primary.
  func addMetrics(to metrics: MetricsRegistry) {
    let (requests, streams) = (requests.passages, streams.passages)
    metrics.addSource {
      [
        (name: "brasa_passed_requests", value: Double(requests.count)),
        (name: "brasa_passed_streams", value: Double(streams.count)),
      ]
    }
  }

  // MARK: Running

  /// Forwards requests, until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { [self] in await followHome() }
      for await job in jobs { group.addTask { await job() } }
    }
    for client in [channels, calls, requests.client, streams.client] {
      try? await client.shutdown()
    }
  }

  /// Ends the requests in flight to a primary that another node has replaced: a node that hangs
  /// responds to none of them.
  private func followHome() async {
    var last = lease.primary
    for await _ in lease.changes() {
      let holder = lease.primary
      guard holder != last else { continue }
      if let gone = last {
        _ = submit { [requests, streams] in
          guard (try? await Task.sleep(for: Self.grace)) != nil else { return }
          for passages in [requests.passages, streams.passages] { passages.endAll(to: gone) }
        }
      }
      last = holder
    }
  }

  /// Lists this node with the address at which others reach it.
  func announce(_ address: String) {
    _ = threads.submit(to: .maintenance) { [engine, log] in
      do {
        try engine.announce(address: address)
      } catch {
        // The engine lists it with its next beat.
        log.warning("the node's address could not be listed yet", metadata: ["error": "\(error)"])
      }
    }
  }

  /// Ends the streams of browsers and devices that other nodes hold: their clients reconnect to
  /// others.
  func endStreams() {
    submission.yield { [channels] in try? await channels.shutdown() }
    streams.passages.endAll()
  }

  /// Has a job run; false where none runs any more.
  private func submit(_ job: @escaping @Sendable () async -> Void) -> Bool {
    if case .terminated = submission.yield(job) { false } else { true }
  }

  // MARK: Calls

  func forward(
    _ method: RPCMethod,
    request: [UInt8],
    context: CallContext,
    to node: NodeNumber,
    respond: @escaping @Sendable (Result<(any ResponseStream)?, ServiceError>) -> Void
  ) {
    let isRunning = submit { [self] in
      do {
        guard let address = try await reach(node, for: context) else {
          return respond(.success(nil))
        }
        respond(.success(try await call(method, request, context, node, at: address)))
      } catch {
        respond(.failure(Self.failure(error)))
      }
    }
    if !isRunning { respond(.failure(Self.failure(nil))) }
  }

  private func call(
    _ method: RPCMethod,
    _ request: [UInt8],
    _ context: CallContext,
    _ node: NodeNumber,
    at address: String
  ) async throws -> ForwardedStream {
    var message = NodeClient.Message("POST", NodeRoutes.target(of: method), body: request)
    message.headers = [field(of: message, for: context, to: node)]
    if let authorization = context.authorization {
      message.headers.append(("authorization", authorization))
    }
    if let deadline = context.deadline {
      let left = max((deadline - .now) / .milliseconds(1), 0)
      message.headers.append(("grpc-timeout", "\(Int(min(left, 99_999_999)))m"))
    }
    let answer = try await calls.send(message, to: address, within: Self.patience)
    guard answer.status == 200 else {
      if answer.status == 429 { throw ServiceError(.resourceExhausted, "A node is overloaded.") }
      throw Refused(status: answer.status)
    }
    context.cancellation.whenCancelled { answer.body.cancel() }
    return ForwardedStream(answer.body) { [weak self] in self?.submit($0) ?? false }
  }

  /// The error of a call with an unknown outcome.
  static func failure(_ error: (any Error)?) -> ServiceError {
    error as? ServiceError
      ?? ServiceError(
        .unavailable,
        "The service is temporarily unavailable.",
        cause: error
      )
  }

  /// A node has answered with another status than it answers calls with.
  private struct Refused: Error {
    let status: Int
  }

  // MARK: Requests of browsers

  private func pass(_ request: ForwardedRequest, to node: NodeNumber) async -> ForwardedResponse? {
    guard let address = try? await reach(node, for: request.context) else { return nil }
    var message = NodeClient.Message(
      request.method,
      request.target,
      headers: request.headers,
      body: request.body.isEmpty ? nil : request.body
    )
    message.headers.append(
      field(of: message, for: request.context, from: request.address, to: node)
    )
    guard
      let answer = try? await channels.send(message, to: address, within: Self.patience)
    else { return nil }
    request.context.cancellation.whenCancelled { answer.body.cancel() }
    return ForwardedResponse(status: answer.status, headers: answer.headers, body: answer.body)
  }

  // MARK: Requests for the primary

  /// Passes a request on to the primary, with its body as it comes; returns nil if this node is the
  /// primary, and UNAVAILABLE if there is none.
  ///
  /// - Parameter isStream: True if the response continues until either end leaves.
  func forwardToPrimary(
    _ request: ServiceRequest,
    decidesOrigins: Bool = false,
    isStream: Bool = false
  ) async throws -> ServiceResponse? {
    guard !lease.isHeld else { return nil }
    guard !request.context.isForwarded else { throw Self.homelessness }
    guard let (node, address) = try await reachHome(for: request.context) else { return nil }
    let (client, passages) = isStream ? streams : requests
    let passage = try passages.begin(to: node, of: request.context.network)
    let ending = passage.cancellation
    let (message, body) = try message(request, to: node, decidesOrigins: decidesOrigins)
    let hasStream = message.stream != nil
    let sending = Task { [message] in
      let patience = hasStream ? Self.longestUpload : Self.patience
      return try await client.send(message, to: address, within: patience)
    }
    ending.whenCancelled {
      sending.cancel()
      Task { await body.letGo() }
    }
    request.context.cancellation.whenCancelled { ending.cancel() }
    let watch = Task {
      guard hasStream else { return }
      await body.untilSent()
      guard (try? await Task.sleep(for: Self.uploadPatience)) != nil else { return }
      ending.cancel()
    }
    defer { watch.cancel() }
    do {
      let answer = try await withTaskCancellationHandler {
        try await sending.value
      } onCancel: {
        ending.cancel()
      }
      if answer.status < 300 { await body.isTaken() }
      ending.whenCancelled { answer.body.cancel() }
      let passed = ForwardedResponse(
        status: answer.status,
        headers: answer.headers,
        body: answer.body
      )
      return await passed.whole.passed(passage, body, isStream: isStream)
    } catch {
      await body.letGo()
      throw Self.failure(error)
    }
  }

  /// The request as it is passed on, and its body, which is read as it is sent.
  private func message(
    _ request: ServiceRequest,
    to node: NodeNumber,
    decidesOrigins: Bool
  ) throws -> (message: NodeClient.Message, body: PassedBody) {
    let passed = ForwardedRequest(streaming: request, decidesOrigins: decidesOrigins)
    guard passed.hasSoundEscapes else {
      throw ServiceError.invalidArgument("The URL has a malformed escape.")
    }
    var message = NodeClient.Message(passed.method, passed.target, headers: passed.headers)
    let length: Int64? = if case .known(let length) = passed.length { length } else { nil }
    let body = PassedBody(request.body, hasKnownLength: length != nil)
    switch passed.length {
    case .none: break
    case .known(0): message.body = []
    case .known, .unknown: message.stream = NodeClient.Stream(body.sequence, length: length)
    }
    message.headers.append(
      field(of: message, for: request.context, from: request.address, to: node)
    )
    return (message, body)
  }

  /// The primary and its address; nil where this one has become it, UNAVAILABLE where none was there for long.
  private func reachHome(
    for context: CallContext
  ) async throws -> (node: NodeNumber, address: String)? {
    while !lease.isHeld {
      let holder = lease.primary
      if let holder, let address = try await reach(holder, for: context) {
        homeless.withLock { $0 = nil }
        return (holder, address)
      }
      let since = homeless.withLock { homeless in
        if let homeless, homeless.holder == holder { return homeless.since }
        let now = ContinuousClock.now
        homeless = (holder, now)
        return now
      }
      guard .now - since < Self.homePatience else { throw Self.homelessness }
      await lease.change(within: Self.primaryPause)
      try Task.checkCancellation()
    }
    return nil
  }

  private static let homelessness = ServiceError(
    .unavailable,
    "The cluster has no primary now. Try again later (docs/cluster.md)."
  )

  private func field(
    of message: NodeClient.Message,
    for context: CallContext,
    from address: String = "",
    to node: NodeNumber
  ) -> (name: String, value: String) {
    let caller = ForwardedCaller(of: context, at: address)
    let request = "\(message.method) \(message.target)"
    return (ForwardedCaller.fieldName, secret.field(for: caller, of: request, to: node))
  }

  // MARK: Finding nodes

  /// The address of a node that has just answered a greeting; nil where it is gone.
  private func reach(_ node: NodeNumber, for context: CallContext) async throws -> String? {
    guard let address = try await address(of: node, for: context) else { return nil }
    if context.isSecure, !NodeAddress.isPrivate(address) {
      warn("an encrypted call was not forwarded: the node's address has no TLS", node, address)
      return nil
    }
    if await answers(node, at: address, for: context) {
      _ = unreached.withLock { $0.remove(node) }
      return address
    }
    warn("a node does not respond at its listed address", node, address)
    addresses.withLock { _ = $0.removeValue(forKey: node) }
    return nil
  }

  /// Once for each node, until it answers again.
  private func warn(_ text: Logger.Message, _ node: NodeNumber, _ address: String) {
    let isNew = unreached.withLock { unreached in
      if unreached.count >= Self.maximumAddresses { unreached.removeAll() }
      return unreached.insert(node).inserted
    }
    if isNew { log.warning(text, metadata: ["node": "\(node.text)", "address": "\(address)"]) }
  }

  private func answers(
    _ node: NodeNumber,
    at address: String,
    for context: CallContext
  ) async -> Bool {
    var generator = SystemRandomNumberGenerator()
    let nonce = Hexadecimal.text((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    var message = NodeClient.Message("GET", NodeRoutes.greetingTarget + "?" + nonce)
    message.headers = [field(of: message, for: context, to: node)]
    let answer = await calls.text(
      of: message,
      from: address,
      upTo: NodeSecret.greetingLength,
      within: NodeClient.reach
    )
    return answer.map { secret.isGreeting($0, nonce, of: node) } ?? false
  }

  private func address(of node: NodeNumber, for context: CallContext) async throws -> String? {
    if let known = addresses.withLock({ $0[node] }) { return known }
    let found = try await threads.run(caller: context.network) { [engine] in
      try engine.address(of: node)
    }
    guard let found else { return nil }
    addresses.withLock { addresses in
      if addresses.count >= Self.maximumAddresses { addresses.removeAll() }
      addresses[node] = found
    }
    return found
  }
}
