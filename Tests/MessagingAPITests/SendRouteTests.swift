import FirestoreModel
import ServiceTestSupport
import Testing

/// Sending at once and later, and the reports.
@Suite struct SendRouteTests {
  @Test func `a message to a registration is reported with its content and delivery`() async throws
  {
    try await MessagingServer.run { messaging in
      let routes = messaging.routes
      let token = try await messaging.register()
      let id = try await messaging.send(
        #"{"token":"\#(token)","notification":{"title":"Order"},"data":{"n":"1"}}"#
      )
      let report = try await routes.call("GET /v1/projects/p/messages/\(id)")
      #expect(report["name"]?.string == "projects/p/messages/\(id)")
      #expect(report["origin"]?.string == "v1")
      #expect(report["title"]?.string == "Order")
      #expect(report["deliveries"]?.compact == #"{"direct":{"waiting":1}}"#)
      #expect(
        report["message"]?.compact == #"{"notification":{"title":"Order"},"data":{"n":"1"}}"#
      )
      #expect(!report.text.contains(token))
      #expect(try await messaging.states(of: id) == ["waiting"])
      #expect(try await messaging.sent() == [id])
      #expect(try await messaging.sent(of: "q") == [])
      let foreign = try await routes.call("GET /v1/projects/q/messages/\(id)")
      #expect(foreign.outcome == "404 NOT_FOUND Requested entity was not found.")
    }
  }

  @Test func `a message to a user goes to each of his registrations`() async throws {
    try await MessagingServer.run { messaging in
      _ = try await messaging.register(.first, as: .user())
      _ = try await messaging.register(.second, as: .user())
      let id = try await messaging.send("{}", call: "sendToUser", more: #","uid":"ana""#)
      #expect(try await messaging.states(of: id) == ["waiting", "waiting"])
      let report = try await messaging.routes.call("GET /v1/projects/p/messages/\(id)")
      #expect(report["target"]?.string == "user ana")
    }
  }

  @Test func `a user of another project owns no registration of this one`() async throws {
    try await MessagingServer.run { messaging in
      _ = try await messaging.register(.first, as: .user(of: "q"))
      let response = try await messaging.routes.call(
        "POST /v1/projects/p/messages:sendToUser",
        body: #"{"uid":"ana","message":{}}"#
      )
      #expect(response.outcome == "404 NOT_FOUND Requested entity was not found.")
    }
  }

  @Test func `a message to an audience is kept until it is fanned out`() async throws {
    try await MessagingServer.run { messaging in
      let id = try await messaging.send("{}", call: "sendToAudience", more: #","audience":"loyal""#)
      let report = try await messaging.routes.call("GET /v1/projects/p/messages/\(id)")
      #expect(report["target"]?.string == "audience loyal")
      let unknown = try await messaging.routes.call(
        "POST /v1/projects/p/messages:sendToAudience",
        body: #"{"audience":"rich","message":{}}"#
      )
      #expect(unknown.outcome == #"400 INVALID_ARGUMENT There is no audience "rich"."#)
    }
  }

  @Test func `a scheduled message is reported, and taken back until its time`() async throws {
    try await MessagingServer.run { messaging in
      let routes = messaging.routes
      let id = try await messaging.send(
        #"{"topic":"news"}"#,
        call: "schedule",
        more: #","localTime":"2027-01-16T09:00","timeZone":"America/Sao_Paulo","#
          + #""repeat":{"every":"week"}"#
      )
      let report = try await routes.call("GET /v1/projects/p/messages/\(id)")
      #expect(report["stage"]?.string == "scheduled")
      #expect(
        report["schedule"]?.compact
          == #"{"localTime":"2027-01-16T09:00:00","timeZone":"America/Sao_Paulo","#
          + #""repeat":{"every":"WEEK","interval":1}}"#
      )
      let foreign = try await routes.call("DELETE /v1/projects/q/messages/\(id)")
      #expect(foreign.outcome == "404 NOT_FOUND There is no scheduled message with that ID.")
      #expect(try await routes.call("DELETE /v1/projects/p/messages/\(id)").text == "{}")
      let gone = try await routes.call("GET /v1/projects/p/messages/\(id)")
      #expect(gone.outcome == "404 NOT_FOUND Requested entity was not found.")
      let sent = try await messaging.send(#"{"topic":"news"}"#)
      let late = try await routes.call("DELETE /v1/projects/p/messages/\(sent)")
      #expect(late.outcome == "404 NOT_FOUND There is no scheduled message with that ID.")
    }
  }

  @Test(arguments: [
    ("send", #""message":{"token":"TOKEN"}"#),
    ("sendToUser", #""uid":"ana","message":{}"#),
    ("sendToAudience", #""audience":"loyal","message":{}"#),
    ("schedule", #""scheduleTime":"2027-01-16T09:00:00Z","message":{"token":"TOKEN"}"#),
  ])
  func `a message that is only validated is not sent`(call: String, members: String) async throws {
    try await MessagingServer.run { messaging in
      let token = try await messaging.register(as: .user())
      let members = members.replacing("TOKEN", with: token)
      for name in ["validate_only", "validateOnly"] {
        let response = try await messaging.routes.call(
          "POST /v1/projects/p/messages:\(call)",
          body: #"{\#(members),"\#(name)":true}"#
        )
        #expect(response["name"]?.string == "projects/p/messages/fake_message_id")
      }
      let unclear = try await messaging.routes.call(
        "POST /v1/projects/p/messages:\(call)",
        body: #"{\#(members),"validate_only":"yes"}"#
      )
      #expect(
        unclear.outcome
          == #"400 INVALID_ARGUMENT Invalid value at 'validate_only' (TYPE_BOOL), "yes""#
      )
      #expect(try await messaging.sent() == [])
    }
  }

  static let wrongBodies: [(call: String, body: String, outcome: String)] = [
    ("send", "", "400 INVALID_ARGUMENT The message is not set."),
    (
      "send", "[]",
      "400 INVALID_ARGUMENT Invalid JSON payload received. An object is expected."
    ),
    (
      "send", #"{"message":{"topic":"news"},"color":1}"#,
      "400 INVALID_ARGUMENT Invalid JSON payload received. Unknown name \"color\": Cannot find field."
    ),
    (
      "send", #"{"message":{"topic":"news","color":1}}"#,
      "400 INVALID_ARGUMENT Invalid JSON payload received. Unknown name \"color\" at 'message': "
        + "Cannot find field."
    ),
    ("send", #"{"message":7}"#, "400 INVALID_ARGUMENT Invalid value at 'message' (an object), 7"),
    ("send", #"{"message":{}}"#, "400 INVALID_ARGUMENT Recipient of the message is not set."),
    (
      "send", #"{"message":{"topic":7}}"#,
      "400 INVALID_ARGUMENT Invalid value at 'message.topic' (TYPE_STRING), 7"
    ),
    (
      "send", #"{"message":{"topic":"a b"}}"#,
      "400 INVALID_ARGUMENT Topic name contains invalid characters."
    ),
    (
      "send", #"{"message":{"token":"x"}}"#,
      "400 INVALID_ARGUMENT The registration token is not a valid FCM registration token"
    ),
    ("send", #"{"message":{"token":"a:b"}}"#, "404 NOT_FOUND Requested entity was not found."),
    (
      "send", #"{"message":{"topic":"news","data":{"n":1}}}"#,
      "400 INVALID_ARGUMENT Invalid value at 'message.data[0].value' (TYPE_STRING), 1"
    ),
    (
      "send", #"{"message":{"topic":"news","data":{"from":"x"}}}"#,
      "400 INVALID_ARGUMENT Invalid data payload key: from"
    ),
    (
      "send", #"{"message":{"topic":"news"},"frequencyCap":{"messages":3}}"#,
      #"400 INVALID_ARGUMENT A cap must have the form {"messages": 3, "period": "86400s"}."#
    ),
    (
      "send", #"{"message":{"topic":"news"},"frequencyCap":{"messages":3,"period":"60s"}}"#,
      "400 INVALID_ARGUMENT A message with a cap needs fcm_options.analytics_label."
    ),
    ("sendToUser", #"{"message":{}}"#, "400 INVALID_ARGUMENT The user's ID is missing."),
    ("sendToUser", #"{"uid":7,"message":{}}"#, "400 INVALID_ARGUMENT The user's ID is missing."),
    ("sendToAudience", #"{"message":{}}"#, "400 INVALID_ARGUMENT The audience's name is missing."),
    (
      "sendToUser", #"{"uid":"ana","message":{"topic":"news"}}"#,
      "400 INVALID_ARGUMENT Recipient of the message is not set."
    ),
    (
      "schedule", #"{"message":{"topic":"news"}}"#,
      "400 INVALID_ARGUMENT One of scheduleTime and localTime is expected."
    ),
    (
      "schedule", #"{"scheduleTime":"2027-01-15T07:00:00Z","message":{"topic":"news"}}"#,
      "400 INVALID_ARGUMENT The time must be within the next 364 days."
    ),
    (
      "schedule", #"{"scheduleTime":7,"message":{"topic":"news"}}"#,
      "400 INVALID_ARGUMENT scheduleTime is like 2027-01-15T08:00:00Z."
    ),
    (
      "schedule", #"{"localTime":"tomorrow","message":{"topic":"news"}}"#,
      "400 INVALID_ARGUMENT localTime must have the form 2027-01-15T09:00, without a zone."
    ),
  ]

  @Test(arguments: wrongBodies)
  func `a wrong message is refused and not kept`(
    call: String,
    body: String,
    outcome: String
  ) async throws {
    try await MessagingServer.run { messaging in
      let request = "POST /v1/projects/p/messages:\(call)"
      let response = try await messaging.routes.call(request, body: body)
      #expect(response.outcome == outcome)
      #expect(try await messaging.sent() == [])
    }
  }

  static let wrongSchedules: [(members: String, outcome: String)] = [
    (#""uid":"""#, "400 INVALID_ARGUMENT The user's ID is missing."),
    (#""uid":7"#, "400 INVALID_ARGUMENT The user's ID is missing."),
    (
      #""uid":"\#(String(repeating: "u", count: 129))""#,
      "400 INVALID_ARGUMENT The user's ID is missing."
    ),
    (#""audience":"""#, "400 INVALID_ARGUMENT The audience's name is missing."),
    (#""audience":7"#, "400 INVALID_ARGUMENT The audience's name is missing."),
    (#""audience":"rich""#, #"400 INVALID_ARGUMENT There is no audience "rich"."#),
    (
      #""uid":"ana","audience":"loyal""#,
      "400 INVALID_ARGUMENT One of uid and audience is expected."
    ),
    (
      #""uid":"ana","timeZone":"Mars/Base""#,
      "400 INVALID_ARGUMENT timeZone must be a name such as America/Sao_Paulo."
    ),
    (
      #""uid":"ana","repeat":{"every":"YEAR"}"#,
      "400 INVALID_ARGUMENT every must be DAY, WEEK or MONTH."
    ),
    (
      #""uid":"ana","repeat":{"every":"DAY","interval":0}"#,
      "400 INVALID_ARGUMENT The interval must be between 1 and 366."
    ),
  ]

  @Test(arguments: wrongSchedules)
  func `a wrong schedule is refused and not kept`(members: String, outcome: String) async throws {
    try await MessagingServer.run { messaging in
      _ = try await messaging.register(as: .user())
      let response = try await messaging.routes.call(
        "POST /v1/projects/p/messages:schedule",
        body: #"{"scheduleTime":"2027-01-16T09:00:00Z","message":{},\#(members)}"#
      )
      #expect(response.outcome == outcome)
      #expect(try await messaging.sent() == [])
    }
  }

  @Test func `a token of another project is not sent to`() async throws {
    try await MessagingServer.run { messaging in
      let token = try await messaging.register(.elsewhere)
      let response = try await messaging.routes.call(
        "POST /v1/projects/p/messages:send",
        body: #"{"message":{"token":"\#(token)"}}"#
      )
      #expect(response.outcome == "403 PERMISSION_DENIED SenderId mismatch")
      let code = response["error"]?["details"]?.elements?.first?["errorCode"]?.string
      #expect(code == "SENDER_ID_MISMATCH")
    }
  }

  @Test func `a body of more than 64 KiB is refused`() async throws {
    try await MessagingServer.run { messaging in
      let response = try await messaging.routes.call(
        "POST /v1/projects/p/messages:send",
        body: String(repeating: " ", count: 64 << 10 + 1)
      )
      #expect(response.status == 413)
    }
  }

  @Test func `messages are listed in pages, the newest first`() async throws {
    try await MessagingServer.run { messaging in
      var ids: [String] = []
      for _ in 0..<3 { ids.append(try await messaging.send(#"{"topic":"news"}"#)) }
      let first = try await messaging.routes.call("GET /v1/projects/p/messages?pageSize=2")
      #expect(first["messages"]?.elements?.count == 2)
      let next = try #require(first["nextPageToken"]?.string)
      #expect(next == ids[1])
      let rest = try await messaging.routes.call(
        "GET /v1/projects/p/messages?pageSize=2&pageToken=\(next)"
      )
      #expect(
        rest["messages"]?.elements?.map { $0["name"]?.string } == ["projects/p/messages/\(ids[0])"]
      )
      #expect(rest["nextPageToken"] == nil)
    }
  }

  @Test(arguments: ["messages", "messages:listTopics", "messages/0:1/deliveries"])
  func `a wrong page is refused`(list: String) async throws {
    try await MessagingServer.run { messaging in
      for size in ["0", "1001", "x", "-1"] {
        let response = try await messaging.routes.call(
          "GET /v1/projects/p/\(list)?pageSize=\(size)"
        )
        #expect(
          response.outcome == "400 INVALID_ARGUMENT pageSize must be between 1 and 1000.",
          "\(size)"
        )
      }
      guard list != "messages:listTopics" else { return }
      let response = try await messaging.routes.call("GET /v1/projects/p/\(list)?pageToken=x")
      #expect(response.outcome == "400 INVALID_ARGUMENT pageToken does not belong to this list.")
    }
  }

  @Test func `the event loop sends like the handler`() async throws {
    try await MessagingServer.run { messaging in
      let request = "POST /v1/projects/p/messages:send"
      let token = try await messaging.register()
      let body = #"{"message":{"token":"\#(token)"}}"#
      let sent = try await messaging.routes.callOnLoop(request, body: body)
      guard case .response(let response)? = sent else {
        Issue.record("no response")
        return
      }
      #expect(response.status.code == 200)
      #expect(try await messaging.sent().count == 1)
      // Callers without rights, trials and calls for the audit trail are the handler's.
      for caller in [TestCaller.stranger, .forger, .user(), .administrator(.editor)] {
        #expect(try await messaging.routes.callOnLoop(request, as: caller, body: body) == nil)
      }
      let trial = #"{"message":{"token":"\#(token)"},"validate_only":true}"#
      #expect(try await messaging.routes.callOnLoop(request, body: trial) == nil)
      #expect(try await messaging.sent().count == 1)
    }
  }
}
