import BaseJSON

/// The project whose messages are loaded, and its requests.
struct PushTarget: Sendable {
  /// With an administrator's token; devices have none of their own.
  let server: FileTarget
  let project: String

  /// A project of a server in development mode.
  init(host: String, port: Int, project: String, token: String = "owner") {
    server = FileTarget(host: host, port: port, bucket: "", dialect: .json, token: token)
    self.project = project
  }

  // MARK: Devices

  /// Makes an installation.
  var installation: FileRequest {
    request(
      "POST",
      "installations",
      .object([.init("appId", .string("1:42:linux:ab"))]),
      keep: true
    )
  }

  /// Registers an installation for the stream of messages.
  func registration(_ authToken: String) -> FileRequest {
    let form = JSONValue.object([.init("direct", .object([.init("platform", .string("linux"))]))])
    return request("POST", "registrations", form, authToken, keep: true)
  }

  /// Opens a device's stream of messages.
  func stream(of device: PushDevice, pingSeconds: Int64 = 540) -> FileRequest {
    let body = JSONValue.object([
      .init("token", .string(device.token)), .init("pingSeconds", .integer(pingSeconds)),
    ])
    return request("POST", "registrations:connect", body, device.authToken)
  }

  /// Acknowledges a device's message: its token, its installation's and a sequence are to be filled
  /// in.
  func acknowledgement(like device: PushDevice) throws -> RequestTemplate {
    let sequence = Self.place
    let body = JSONValue.object([
      .init("token", .string(device.token)), .init("sequence", .string(sequence)),
    ])
    let request = request("POST", "registrations:acknowledge", body, device.authToken)
    return try RequestTemplate(request, server, holes: [device.token, device.authToken, sequence])
  }

  // MARK: Back ends

  /// Sends a message to a registration of which the token is as long: it and the message's number are to be filled in.
  func message(like token: String) throws -> RequestTemplate {
    let request = send(.init("token", .string(token)), data: Self.place, keep: false)
    return try RequestTemplate(request, server, holes: [token, Self.place])
  }

  /// As long as `RequestTemplate.digits`.
  private static let place = String(repeating: "9", count: RequestTemplate.width)

  /// Sends a message to a registration; its text says its number.
  func message(to token: String, number: Int) -> FileRequest {
    send(.init("token", .string(token)), number, keep: false)
  }

  /// Sends a message to a topic.
  func message(toTopic topic: String) -> FileRequest {
    send(.init("topic", .string(topic)), 0, keep: true)
  }

  /// Asks what became of a message.
  func report(_ id: String) -> FileRequest {
    FileRequest(method: "GET", path: path("messages/\(id)"), keepsAnswer: true)
  }

  private func send(
    _ recipient: JSONValue.Member,
    _ number: Int = 0,
    data: String? = nil,
    keep: Bool
  ) -> FileRequest {
    let notification = JSONValue.object([
      .init("title", .string("New order")), .init("body", .string("Table \(number)")),
    ])
    let message = JSONValue.object([
      recipient, .init("notification", notification),
      .init("data", .object([.init("number", .string(data ?? "\(number)"))])),
    ])
    return request("POST", "messages:send", .object([.init("message", message)]), keep: keep)
  }

  private func request(
    _ method: String,
    _ name: String,
    _ body: JSONValue,
    _ authToken: String? = nil,
    keep: Bool = false
  ) -> FileRequest {
    var headers = [(name: "Content-Type", value: "application/json")]
    if let authToken {
      headers.append((name: "x-goog-firebase-installations-auth", value: authToken))
    }
    return FileRequest(
      method: method,
      path: path(name) + "?key=\(project)",
      headers: headers,
      body: .bytes(Array(body.compact.utf8)),
      keepsAnswer: keep
    )
  }

  private func path(_ name: String) -> String { "/v1/projects/\(project)/\(name)" }
}

/// An app's installation that is registered for the stream of messages.
struct PushDevice: Sendable {
  let authToken: String
  let token: String
}
