import ServiceTestSupport
import Testing

/// Events of apps and of back ends.
@Suite struct IntakeRouteTests {
  private static let collect = "/mp/collect?firebase_app_id=\(AnalyticsServer.app)&api_secret=p"

  @Test func `a batch is kept once, in its project`() async throws {
    try await AnalyticsServer.run { analytics in
      try await analytics.send()
      let again = try await analytics.routes.call(
        "POST \(AnalyticsServer.batches)?key=p",
        as: .stranger,
        body: AnalyticsServer.batch(),
        headers: AnalyticsServer.proof
      )
      #expect(again["repeated"]?.boolean == true)
      try analytics.count()
      #expect(try await analytics.timeline() == ["view_item"])
      #expect(try await analytics.timeline(of: "q") == [])
    }
  }

  static let keys: [(query: String, outcome: String)] = [
    ("", "403 PERMISSION_DENIED The request is missing a valid API key."),
    ("?key=", "403 PERMISSION_DENIED The request is missing a valid API key."),
    ("?key=x", "400 INVALID_ARGUMENT API key not valid. Please pass a valid API key."),
    ("?key=q", "403 PERMISSION_DENIED The API key does not belong to the project p."),
  ]

  @Test(arguments: keys)
  func `a batch without the project's key is refused`(
    query: String,
    outcome: String
  ) async throws {
    try await AnalyticsServer.run { analytics in
      let response = try await analytics.routes.call(
        "POST \(AnalyticsServer.batches)\(query)",
        body: AnalyticsServer.batch(),
        headers: AnalyticsServer.proof
      )
      #expect(response.outcome == outcome)
      #expect(analytics.analytics.projects.isEmpty)
    }
  }

  private static func batch(_ members: String) -> String {
    #"{"appInstanceId":"a","batchNumber":1,"sentTimeMillis":1800000000000,\#(members)}"#
  }

  static let wrongBodies: [(body: String, message: String)] = [
    ("[]", "Invalid JSON payload received. An object is expected."),
    ("{}", "Invalid value at 'appInstanceId'."),
    (#"{"appInstanceId":7}"#, "Invalid value at 'appInstanceId'."),
    (#"{"appInstanceId":"a"}"#, "Invalid value at 'batchNumber'."),
    (#"{"appInstanceId":"a","batchNumber":0}"#, "Invalid value at 'batchNumber'."),
    (#"{"appInstanceId":"a","batchNumber":1}"#, "Invalid value at 'sentTimeMillis'."),
    (
      #"{"appInstanceId":"a","batchNumber":1,"sentTimeMillis":9223372036854775807}"#,
      "Invalid value at 'sentTimeMillis'."
    ),
    (batch(#""events":7"#), "Invalid value at 'events'."),
    (batch(#""events":[7]"#), "Invalid value at 'events.timeMicros'."),
    (batch(#""events":[{"timeMicros":1,"name":7}]"#), "Invalid value at 'name'."),
    (batch(#""events":[{"timeMicros":1,"params":7}]"#), "Invalid value at 'events.params'."),
    (
      batch(#""events":[{"timeMicros":1,"params":{"a":7}}]"#),
      "Invalid value at 'events.params.a'."
    ),
    (batch(#""events":[],"device":7"#), "Invalid value at 'device'."),
    (batch(#""events":[],"debug":7"#), "Invalid value at 'debug'."),
    (batch(#""events":[],"userProperties":7"#), "Invalid value at 'userProperties'."),
    (
      batch(#""events":[],"consent":{"analyticsStorage":"MAYBE"}"#),
      "Invalid value at 'analyticsStorage'."
    ),
  ]

  @Test(arguments: wrongBodies)
  func `a wrong batch is refused`(body: String, message: String) async throws {
    try await AnalyticsServer.run { analytics in
      let response = try await analytics.routes.call(
        "POST \(AnalyticsServer.batches)?key=p",
        as: .stranger,
        body: body,
        headers: AnalyticsServer.proof
      )
      #expect(response.outcome == "400 INVALID_ARGUMENT \(message)")
      #expect(analytics.analytics.projects.isEmpty)
    }
  }

  @Test func `what is no JSON, damaged gzip or too long is refused`() async throws {
    try await AnalyticsServer.run { analytics in
      let request = "POST \(AnalyticsServer.batches)?key=p"
      let text = try await analytics.routes.call(request, as: .stranger, body: "{")
      #expect(text.outcome.hasPrefix("400 INVALID_ARGUMENT "))
      let gzip = try await analytics.routes.call(
        request,
        as: .stranger,
        bytes: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 7]
      )
      #expect(gzip.outcome == "400 INVALID_ARGUMENT The gzip body is damaged.")
      let long = try await analytics.routes.call(
        request,
        as: .stranger,
        bytes: [UInt8](repeating: 0x20, count: 1 << 20 + 1)
      )
      #expect(long.status == 413)
      #expect(analytics.analytics.projects.isEmpty)
    }
  }

  private static func event(_ name: String) -> String {
    #"{"app_instance_id":"\#(AnalyticsServer.instance)","events":[{"name":"\#(name)"}]}"#
  }

  @Test func `a back end's events are taken without a word`() async throws {
    try await AnalyticsServer.run { analytics in
      let callers: [(caller: TestCaller, name: String)] = [
        (.stranger, "from_stranger"), (.forger, "from_forger"), (.user(), "from_user"),
        (.administrator(.owner, of: "q"), "from_other"), (.key, "from_key"),
        (.administrator(.editor, of: "p"), "from_editor"),
      ]
      for (caller, name) in callers {
        let response = try await analytics.routes.call(
          "POST \(Self.collect)",
          as: caller,
          body: Self.event(name)
        )
        #expect(response.status == 204)
        #expect(response.bytes.isEmpty)
      }
      try analytics.count()
      #expect(Set(try await analytics.timeline()).isSuperset(of: ["from_editor", "from_key"]))
    }
  }

  static let wrongRequests: [(target: String, body: String, field: String, code: String)] = [
    ("?api_secret=p", event("a"), "", "VALUE_INVALID"),
    ("?firebase_app_id=a&api_secret=x", event("a"), "", "VALUE_INVALID"),
    ("?firebase_app_id=a", event("a"), "", "VALUE_INVALID"),
    ("?firebase_app_id=a&api_secret=p", "[]", "", "VALUE_INVALID"),
    ("?firebase_app_id=a&api_secret=p", "{}", "app_instance_id", "VALUE_REQUIRED"),
    (
      "?firebase_app_id=a&api_secret=p", #"{"app_instance_id":"short","events":[{"name":"a"}]}"#,
      "app_instance_id", "VALUE_INVALID"
    ),
    (
      "?measurement_id=G-1&api_secret=p", #"{"events":[{"name":"a"}]}"#, "client_id",
      "VALUE_REQUIRED"
    ),
    (
      "?firebase_app_id=a&api_secret=p",
      #"{"app_instance_id":"\#(AnalyticsServer.instance)","events":[]}"#, "events", "VALUE_REQUIRED"
    ),
  ]

  @Test(arguments: wrongRequests)
  func `a wrong request of the Measurement Protocol is explained and not kept`(
    target: String,
    body: String,
    field: String,
    code: String
  ) async throws {
    try await AnalyticsServer.run { analytics in
      let sent = try await analytics.routes.call("POST /mp/collect\(target)", body: body)
      #expect(sent.status == 204)
      #expect(analytics.analytics.projects.isEmpty)
      let checked = try await analytics.routes.call("POST /debug/mp/collect\(target)", body: body)
      #expect(checked.status == 200)
      let first = try #require(checked["validationMessages"]?.elements?.first)
      #expect(first["fieldPath"]?.string == field)
      #expect(first["validationCode"]?.string == code)
    }
  }

  @Test func `a right request has no remarks and is not kept by its validation`() async throws {
    try await AnalyticsServer.run { analytics in
      let checked = try await analytics.routes.call(
        "POST /debug\(Self.collect)",
        as: .stranger,
        body: Self.event("purchase")
      )
      #expect(checked.text == #"{"validationMessages":[]}"#)
      let long = try await analytics.routes.call(
        "POST /debug\(Self.collect)",
        as: .stranger,
        bytes: [UInt8](repeating: 0x20, count: 130_001)
      )
      #expect(
        long["validationMessages"]?.elements?.first?["description"]?.string
          == "A request can have at most 130000 bytes."
      )
      #expect(analytics.analytics.projects.isEmpty)
    }
  }
}
