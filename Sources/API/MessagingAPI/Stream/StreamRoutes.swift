import BaseJSON
import HTTPTypes
import PushMessaging
import ServiceModule

/// The stream of messages of clients that connect, and receipts.
///
/// Below `/v1/projects/{project}`:
///
///     POST /registrations:connect        messages as lines of JSON, for as long as the client reads
///     POST /registrations:acknowledge    what a client has received and opened; also a ping
struct StreamRoutes: Sendable {
  let environment: MessagingEnvironment

  private static let bodyLimit = 16 << 10
  private static let receiptLimit = 100
  /// Seconds between messages from a client.
  private static let pings = Int64(15)...540
  private static let batch = 32

  private var service: PushService { environment.service }

  var routes: [HTTPRoute] {
    let root = "/v1/projects/{project}/registrations"
    var connect = messagingRoute(.post, root + ":connect", for: .clients, handler: self.connect)
    connect.loop = HTTPRoute.LoopHandling(
      upTo: Self.bodyLimit,
      takesConnection: true,
      handler: submitConnect
    )
    var acknowledge = messagingRoute(
      .post,
      root + ":acknowledge",
      for: .clients,
      handler: self.acknowledge
    )
    acknowledge.loop = HTTPRoute.LoopHandling(upTo: Self.bodyLimit, handler: submitAcknowledge)
    return [connect, acknowledge]
  }

  // MARK: The stream

  /// The request of a client that connects.
  private struct Connecting {
    let acknowledged: Int64
    /// Seconds.
    let pings: Int64

    init(_ body: JSONValue) throws(MessagingError) {
      acknowledged = try StreamRoutes.sequence(body["acknowledged"], "acknowledged")
      let range = StreamRoutes.pings
      pings = min(max(body["pingSeconds"]?.integer ?? 55, range.lowerBound), range.upperBound)
    }

    /// The line that opens the stream.
    func opening(_ start: ConnectionStart) -> [UInt8] {
      var members = [JSONValue.Member("pingSeconds", .integer(pings))]
      members.append(.init("acknowledged", .string("\(start.acknowledged)")))
      if start.hasDropped { members.append(.init("deleted", .boolean(true))) }
      return JSONValue.object([.init("connected", .object(members))]).compactBytes
        + [UInt8(ascii: "\n")]
    }
  }

  private static let headers: HTTPFields = [
    .contentType: "application/x-ndjson", .cacheControl: "no-store",
  ]

  /// Has the event loop write the stream.
  private func submitConnect(
    _ request: ServiceRequest,
    _ body: [UInt8],
    _ answer: @escaping @Sendable (LoopAnswer) -> Void
  ) throws -> Bool {
    guard !service.streams.isFull, let (owner, body) = try owner(of: request, body) else {
      return false
    }
    let asked = try Connecting(body)
    let service = service
    service.submitConnection(owner, acknowledged: asked.acknowledged) { outcome in
      answer(
        LoopAnswer(request) {
          let start = try outcome.get()
          let stream = MessageStream(
            service,
            start,
            opening: asked.opening(start)
          )
          let network = request.context.network
          let pings = Duration.seconds(asked.pings)
          try service.streams.open(start.mailbox, stream, network: network, pings: pings)
          service.prepare(owner)
          return .stream(Self.headers, stream)
        }
      )
    }
    return true
  }

  /// Has a task write the stream, on connections that have more than one at a time.
  private func connect(_ request: ServiceRequest) async throws -> ServiceResponse {
    let (registration, body) = try await registration(of: request)
    guard registration.address == .direct else { throw MessagingError.notDirect }
    let asked = try Connecting(body)
    let (service, mailbox, listener) = (service, registration.mailbox, WakingListener())
    let (network, pings) = (request.context.network, Duration.seconds(asked.pings))
    try service.streams.open(mailbox, listener, network: network, pings: pings)
    let start: ConnectionStart
    do {
      start = try await service.beginConnection(registration, acknowledged: asked.acknowledged)
    } catch {
      service.streams.close(mailbox, listener)
      throw error
    }
    let (first, cancellation) = (asked.opening(start), request.context.cancellation)
    cancellation.whenCancelled { listener.finish() }
    return ServiceResponse(
      headers: Self.headers,
      body: .stream { writer in
        defer { service.streams.close(mailbox, listener) }
        try await writer.write(first)
        var last = start.acknowledged
        var wakes = listener.wakes.makeAsyncIterator()
        repeat {
          last = try await Self.write(mailbox, after: last, service, &writer)
        } while await wakes.next() != nil && !cancellation.isCancelled
      }
    )
  }

  /// Writes what waits behind a sequence and gives the highest one.
  private static func write(
    _ mailbox: MailboxID,
    after sequence: Int64,
    _ service: PushService,
    _ writer: inout any ServiceBodyWriter
  ) async throws -> Int64 {
    var last = sequence
    while true {
      let entries = try await service.entries(of: mailbox, after: last, limit: batch)
      guard let newest = entries.last else { return last }
      try await writer.write(entries.flatMap(\.line))
      service.noteWritten(entries, to: mailbox)
      last = newest.sequence
      if entries.count < batch { return last }
    }
  }

  // MARK: Receipts

  private func submitAcknowledge(
    _ request: ServiceRequest,
    _ body: [UInt8],
    _ answer: @escaping @Sendable (LoopAnswer) -> Void
  ) throws -> Bool {
    guard let (owner, body) = try owner(of: request, body) else { return false }
    let receipts = try Self.receipts(body)
    // A ping reads and writes nothing.
    guard !receipts.isPing else { return false }
    service.submit(receipts, of: owner) { outcome in
      answer(
        LoopAnswer(request) {
          try outcome.get()
          return .response(.emptyObject)
        }
      )
    }
    return true
  }

  private func acknowledge(_ request: ServiceRequest) async throws -> ServiceResponse {
    let (registration, body) = try await registration(of: request)
    let receipts = try Self.receipts(body)
    try await service.hear(registration)
    if !receipts.isPing { try await service.acknowledge(registration, receipts) }
    return .emptyObject
  }

  private static func receipts(_ body: JSONValue) throws(MessagingError) -> Receipts {
    Receipts(
      sequence: try sequence(body["sequence"], "sequence"),
      received: try receipts(body["received"], "received"),
      opened: try receipts(body["opened"], "opened")
    )
  }

  private static func sequence(
    _ json: JSONValue?,
    _ field: String
  ) throws(MessagingError) -> Int64 {
    guard let json, json != .null else { return 0 }
    guard let number = json.integer ?? json.string.flatMap({ Int64($0) }), number >= 0 else {
      throw .invalid(field, "\(field) is no sequence.")
    }
    return number
  }

  private static func receipts(
    _ json: JSONValue?,
    _ field: String
  ) throws(MessagingError) -> [String] {
    guard let json, json != .null else { return [] }
    guard let list = json.elements, list.count <= receiptLimit else {
      throw .invalid(field, "\(field) must be a list of at most \(receiptLimit) IDs.")
    }
    return list.compactMap(\.string)
  }

  // MARK: Who asks

  /// The registration whose token is in the body, which the request's installation must have made.
  private func registration(
    of request: ServiceRequest
  ) async throws -> (Registration, JSONValue) {
    let project = try await environment.project(of: request)
    let installation = try environment.installation(of: request, in: project)
    let body = try await request.object(upTo: Self.bodyLimit)
    let owner = TokenOwner(
      token: try Self.token(in: body),
      project: project,
      installation: installation.id
    )
    return (try await service.registration(of: owner), body)
  }

  /// The owner of the token in the request, and the body; nil where memory does not know the
  /// project.
  private func owner(
    of request: ServiceRequest,
    _ body: [UInt8]
  ) throws -> (TokenOwner, JSONValue)? {
    guard let project = try environment.projectInMemory(of: request) else { return nil }
    let installation = try environment.installation(of: request, in: project)
    let body = try request.object(body)
    let token = try Self.token(in: body)
    return (TokenOwner(token: token, project: project, installation: installation.id), body)
  }

  private static func token(in body: JSONValue) throws(MessagingError) -> String {
    guard let token = body["token"]?.string else {
      throw .invalid("token", "The token is missing.")
    }
    return token
  }
}

extension MailboxEntry {
  /// The entry as a line of the stream.
  var line: [UInt8] {
    let json = JSONValue.object([
      .init("sequence", .string("\(sequence)")), .init("messageId", .string(messageID)),
      .init("timeToLive", .integer(timeToLive)), content,
    ])
    return json.compactBytes + [UInt8(ascii: "\n")]
  }
}
