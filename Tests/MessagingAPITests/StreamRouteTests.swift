import BaseJSON
import PushMessaging
import ServiceTestSupport
import Testing

/// The stream of a client that connects, and its receipts.
@Suite struct StreamRouteTests {
  private static let registrations = "/v1/projects/p/registrations"

  /// The lines of a client's stream until there are so many.
  private static func lines(
    _ count: Int,
    _ messaging: MessagingServer,
    token: String,
    members: String = ""
  ) async throws -> [JSONValue] {
    let response = try await messaging.routes.call(
      "POST \(registrations):connect?key=p",
      as: .stranger,
      body: #"{"token":"\#(token)"\#(members)}"#,
      headers: Installation.first.headers
    ) { text in text.count(where: \.isNewline) >= count }
    #expect(response.header("content-type") == "application/x-ndjson")
    return try response.text.split(whereSeparator: \.isNewline).map {
      try JSONValue(parsing: String($0))
    }
  }

  private static func acknowledge(
    _ messaging: MessagingServer,
    _ body: String
  ) async throws -> TestResponse {
    try await messaging.routes.call(
      "POST \(registrations):acknowledge?key=p",
      as: .stranger,
      body: body,
      headers: Installation.first.headers
    )
  }

  @Test func `a client reads what waits and acknowledges it`() async throws {
    try await MessagingServer.run { messaging in
      let token = try await messaging.register()
      let id = try await messaging.send(#"{"token":"\#(token)","data":{"n":"1"}}"#)
      let lines = try await Self.lines(2, messaging, token: token)
      #expect(
        lines[0].compact == #"{"connected":{"pingSeconds":55,"acknowledged":"0"}}"#
      )
      #expect(lines[1]["messageId"]?.string == id)
      #expect(lines[1]["message"]?["data"]?.compact == #"{"n":"1"}"#)
      let sequence = try #require(lines[1]["sequence"]?.string)
      let body = #"{"token":"\#(token)","sequence":"\#(sequence)"}"#
      #expect(try await Self.acknowledge(messaging, body).text == "{}")
      #expect(try await messaging.states(of: id) == ["acknowledged"])
      let opened = #"{"token":"\#(token)","opened":["\#(id)"]}"#
      #expect(try await Self.acknowledge(messaging, opened).text == "{}")
      #expect(try await messaging.states(of: id) == ["opened"])
      // A ping changes nothing.
      #expect(try await Self.acknowledge(messaging, #"{"token":"\#(token)"}"#).text == "{}")
      let rest = try await Self.lines(
        1,
        messaging,
        token: token,
        members: #","acknowledged":"\#(sequence)","pingSeconds":1"#
      )
      #expect(
        rest.map(\.compact)
          == [#"{"connected":{"pingSeconds":15,"acknowledged":"\#(sequence)"}}"#]
      )
    }
  }

  @Test func `the event loop keeps receipts like the handler`() async throws {
    try await MessagingServer.run { messaging in
      let token = try await messaging.register()
      let id = try await messaging.send(#"{"token":"\#(token)"}"#)
      let request = "POST \(Self.registrations):acknowledge?key=p"
      let body = #"{"token":"\#(token)","received":["\#(id)"]}"#
      let answer = try await messaging.routes.callOnLoop(
        request,
        as: .stranger,
        body: body,
        headers: Installation.first.headers
      )
      guard case .response(let response)? = answer else {
        Issue.record("no response")
        return
      }
      #expect(response.status.code == 200)
      #expect(try await messaging.states(of: id) == ["acknowledged"])
      let foreign = try await messaging.routes.callOnLoop(
        request,
        as: .stranger,
        body: body,
        headers: Installation.second.headers
      )
      guard case .failure(let error)? = foreign else {
        Issue.record("no failure")
        return
      }
      #expect(error.code == .unauthenticated)
    }
  }

  static let wrongBodies: [(call: String, members: String, outcome: String)] = [
    ("connect", "", "400 INVALID_ARGUMENT The token is missing."),
    ("acknowledge", "", "400 INVALID_ARGUMENT The token is missing."),
    ("connect", #""token":7"#, "400 INVALID_ARGUMENT The token is missing."),
    (
      "connect", #""token":"x""#,
      "400 INVALID_ARGUMENT The registration token is not a valid FCM registration token"
    ),
    (
      "connect", #""token":"TOKEN","acknowledged":"x""#,
      "400 INVALID_ARGUMENT acknowledged is no sequence."
    ),
    (
      "acknowledge", #""token":"TOKEN","sequence":-1"#,
      "400 INVALID_ARGUMENT sequence is no sequence."
    ),
    (
      "acknowledge", #""token":"TOKEN","received":"x""#,
      "400 INVALID_ARGUMENT received must be a list of at most 100 IDs."
    ),
    (
      "acknowledge",
      #""token":"TOKEN","opened":[\#(Array(repeating: "7", count: 101).joined(separator: ","))]"#,
      "400 INVALID_ARGUMENT opened must be a list of at most 100 IDs."
    ),
  ]

  @Test(arguments: wrongBodies)
  func `a wrong body is refused`(
    call: String,
    members: String,
    outcome: String
  ) async throws {
    try await MessagingServer.run { messaging in
      let token = try await messaging.register()
      let response = try await messaging.routes.call(
        "POST \(Self.registrations):\(call)?key=p",
        as: .stranger,
        body: "{\(members.replacing("TOKEN", with: token))}",
        headers: Installation.first.headers
      )
      #expect(response.outcome == outcome)
    }
  }

  @Test func `an app with another address has no stream`() async throws {
    try await MessagingServer.run { messaging in
      let token = try await messaging.register(
        form: #"{"web":{"endpoint":"https://push.example/1",\#(RegistrationRouteTests.keys)}}"#
      )
      let response = try await messaging.routes.call(
        "POST \(Self.registrations):connect?key=p",
        as: .stranger,
        body: #"{"token":"\#(token)"}"#,
        headers: Installation.first.headers
      )
      #expect(
        response.outcome
          == "400 INVALID_ARGUMENT The registration does not belong to a client with a direct connection."
      )
    }
  }
}
