import FirestoreModel
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
  /// Seconds between what is heard of a client.
  private static let pings = Int64(15)...540
  private static let batch = 32

  private var service: PushService { environment.service }

  var routes: [HTTPRoute] {
    let root = "/v1/projects/{project}/registrations"
    return [
      messagingRoute(.post, root + ":connect", for: .clients, handler: connect),
      messagingRoute(.post, root + ":acknowledge", for: .clients, handler: acknowledge),
    ]
  }

  private func connect(_ request: ServiceRequest) async throws -> ServiceResponse {
    let (registration, body) = try await registration(of: request)
    guard registration.address == .direct else {
      throw MessagingError.invalid(
        "token",
        "The registration is not one of a client that connects."
      )
    }
    let acknowledged = try Self.sequence(body["acknowledged"], "acknowledged")
    let pings = min(
      max(body["pingSeconds"]?.integer ?? 55, Self.pings.lowerBound),
      Self.pings.upperBound
    )
    guard let connection = service.streams.open(registration.mailbox, pings: .seconds(pings))
    else {
      throw MessagingError(.unavailable, "There are too many streams. Try again later.")
    }
    let hasDropped: Bool
    do {
      hasDropped = try await service.beginConnection(registration, acknowledged: acknowledged)
    } catch {
      service.streams.close(connection)
      throw error
    }
    let (service, cancellation) = (service, request.context.cancellation)
    let first = Self.connected(pings: pings, hasDropped: hasDropped)
    return ServiceResponse(
      headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"],
      body: .stream { writer in
        defer { service.streams.close(connection) }
        try await writer.write(first)
        var last = acknowledged
        var wakes = connection.wakes.makeAsyncIterator()
        repeat {
          last = try await Self.write(registration, after: last, service, &writer)
        } while await wakes.next() != nil && !cancellation.isCancelled
      }
    )
  }

  /// Writes what waits behind a sequence and gives the highest one.
  private static func write(
    _ registration: Registration,
    after sequence: Int64,
    _ service: PushService,
    _ writer: inout any ServiceBodyWriter
  ) async throws -> Int64 {
    var last = sequence
    while true {
      let entries = try await service.entries(of: registration, after: last, limit: batch)
      guard let newest = entries.last else { return last }
      try await writer.write(entries.flatMap(\.line))
      service.noteWritten(entries, to: registration)
      last = newest.sequence
      if entries.count < batch { return last }
    }
  }

  private static func connected(pings: Int64, hasDropped: Bool) -> [UInt8] {
    var members = [JSONText.Member("pingSeconds", .integer(pings))]
    if hasDropped { members.append(.init("deleted", .boolean(true))) }
    let line = JSONText.object([.init("connected", .object(members))])
    return Array((line.compact + "\n").utf8)
  }

  private func acknowledge(_ request: ServiceRequest) async throws -> ServiceResponse {
    let (registration, body) = try await registration(of: request)
    try await service.acknowledge(
      registration,
      upTo: try Self.sequence(body["sequence"], "sequence"),
      received: try Self.receipts(body["received"], "received"),
      opened: try Self.receipts(body["opened"], "opened")
    )
    return .emptyObject
  }

  private static func sequence(
    _ json: JSONText?,
    _ field: String
  ) throws(MessagingError) -> Int64 {
    guard let json, json != .null else { return 0 }
    guard let number = json.integer ?? json.string.flatMap({ Int64($0) }), number >= 0 else {
      throw .invalid(field, "\(field) is no sequence.")
    }
    return number
  }

  private static func receipts(
    _ json: JSONText?,
    _ field: String
  ) throws(MessagingError) -> [String] {
    guard let json, json != .null else { return [] }
    guard let list = json.elements, list.count <= receiptLimit else {
      throw .invalid(field, "\(field) is a list of at most \(receiptLimit) ids.")
    }
    return list.compactMap(\.string)
  }

  /// The registration whose token is in the body, which the request's installation must have made.
  private func registration(
    of request: ServiceRequest
  ) async throws -> (Registration, JSONText) {
    let project = try await environment.project(of: request)
    let installation = try environment.installation(of: request, in: project)
    let body = try await request.object(upTo: Self.bodyLimit)
    guard let token = body["token"]?.string else {
      throw MessagingError.invalid("token", "The token is missing.")
    }
    let known = try await service.registration(of: token, in: project)
    guard known.installation == installation.id else {
      throw FirestoreError(.unauthenticated, "The registration is another installation's.")
    }
    return (known, body)
  }
}

extension MailboxEntry {
  /// The entry as a line of the stream.
  fileprivate var line: [UInt8] {
    let json = JSONText.object([
      .init("sequence", .string("\(sequence)")), .init("messageId", .string(messageID)),
      .init("timeToLive", .integer(timeToLive)), content,
    ])
    return Array((json.compact + "\n").utf8)
  }
}
