import PushMessaging
import ServiceTestSupport
import Testing

/// Topics, as back ends and as apps manage them.
@Suite struct TopicRouteTests {
  private static let absent = "404 NOT_FOUND Requested entity was not found."
  private static let malformed = "400 INVALID_ARGUMENT Malformed topic name."

  private static let tooMany = Array(repeating: #""a:b""#, count: 1_001).joined(separator: ",")

  /// The topics of a registration, as `GET /iid/info` lists them.
  private static func topics(_ token: String, _ messaging: MessagingServer) async throws -> [String]
  {
    let info = try await messaging.routes.call("GET /iid/info/\(token)?details=true")
    return info["rel"]?["topics"]?.members?.map(\.key) ?? []
  }

  @Test func `a back end subscribes many and ends that`() async throws {
    try await MessagingServer.run { messaging in
      let first = try await messaging.register(.first)
      let other = try await messaging.register(.elsewhere)
      let body =
        #"{"to":"/topics/news","registration_tokens":["\#(first)","a:b","x","\#(other)"]}"#
      let added = try await messaging.routes.call("POST /iid/v1:batchAdd", body: body)
      #expect(
        added.text
          == #"{"results":[{},{"error":"NOT_FOUND"},{"error":"INVALID_ARGUMENT"},{}]}"#
      )
      #expect(try await Self.topics(first, messaging) == ["news"])
      #expect(try await Self.topics(other, messaging) == ["news"])
      for project in ["p", "q"] {
        let listed = try await messaging.routes.call(
          "GET /v1/projects/\(project)/messages:listTopics"
        )
        #expect(listed.text == #"{"topics":[{"name":"news","registrations":1}]}"#)
      }
      let removed = try await messaging.routes.call("POST /iid/v1:batchRemove", body: body)
      #expect(removed.json == added.json)
      #expect(try await Self.topics(first, messaging) == [])
    }
  }

  @Test(arguments: [
    "", "[]", "{", #"{"to":"/topics/news"}"#, #"{"registration_tokens":["a:b"]}"#,
    #"{"to":"a b","registration_tokens":["a:b"]}"#, #"{"to":"news","registration_tokens":[7]}"#,
    #"{"to":"news","registration_tokens":[]}"#, #"{"to":7,"registration_tokens":["a:b"]}"#,
    #"{"to":"news","registration_tokens":[\#(tooMany)]}"#,
  ])
  func `a wrong batch is refused`(body: String) async throws {
    try await MessagingServer.run { messaging in
      for call in ["batchAdd", "batchRemove"] {
        let response = try await messaging.routes.call("POST /iid/v1:\(call)", body: body)
        #expect(response.status == 400)
        #expect(["InvalidRequest", "INVALID_ARGUMENT"].contains(response["error"]?.string))
      }
    }
  }

  @Test func `a back end subscribes one registration in either way`() async throws {
    try await MessagingServer.run { messaging in
      let routes = messaging.routes
      let token = try await messaging.register()
      let own = "/v1/projects/p/registrations/\(token)/topicSubscriptions"
      #expect(try await routes.call("POST /iid/v1/\(token)/rel/topics/a").text == "{}")
      #expect(try await routes.call("POST \(own)?topic_name=b").text == "{}")
      #expect(try await routes.call("POST \(own)?topicName=/topics/c").text == "{}")
      #expect(try await Self.topics(token, messaging) == ["a", "b", "c"])
      #expect(try await routes.call("DELETE \(own)/b").text == "{}")
      #expect(try await Self.topics(token, messaging) == ["a", "c"])
      for request in [
        "POST /iid/v1/\(token)/rel/topics/a%20b", "POST \(own)", "POST \(own)?topic_name=a%20b",
        "DELETE \(own)/a%20b",
      ] {
        #expect(try await routes.call(request).outcome == Self.malformed, "\(request)")
      }
      let foreign = try await routes.call(
        "POST /v1/projects/q/registrations/\(token)/topicSubscriptions?topic_name=b"
      )
      #expect(foreign.outcome == "403 PERMISSION_DENIED SenderId mismatch")
    }
  }

  @Test func `an app subscribes itself`() async throws {
    try await MessagingServer.run { messaging in
      let token = try await messaging.register()
      func change(_ topic: String, _ verb: String) async throws -> TestResponse {
        try await messaging.routes.call(
          "POST /v1/projects/p/registrations/\(token)/topicSubscriptions/\(topic):\(verb)?key=p",
          as: .stranger,
          headers: Installation.first.headers
        )
      }
      #expect(try await change("news", "subscribe").text == "{}")
      #expect(try await Self.topics(token, messaging) == ["news"])
      #expect(try await change("news", "unsubscribe").text == "{}")
      #expect(try await Self.topics(token, messaging) == [])
      #expect(try await change("a%20b", "subscribe").outcome == Self.malformed)
    }
  }

  @Test func `subscriptions are counted for the network and for the registration`() async throws {
    var limits = MessagingLimits()
    limits.topics = 1
    limits.subscriptionsPerNetwork = 2
    try await MessagingServer.run(limits: limits) { messaging in
      let token = try await messaging.register()
      let own = "/v1/projects/p/registrations/\(token)/topicSubscriptions"
      var outcomes: [String] = []
      for topic in ["a", "b", "c"] {
        let response = try await messaging.routes.call(
          "POST \(own)/\(topic):subscribe?key=p",
          as: .stranger,
          headers: Installation.first.headers
        )
        outcomes.append(response.outcome)
      }
      #expect(
        outcomes == [
          "200", "429 RESOURCE_EXHAUSTED The subscription was refused: TOO_MANY_TOPICS.",
          "429 RESOURCE_EXHAUSTED Too many subscriptions were created. Try again later.",
        ]
      )
      let backend = try await messaging.routes.call("POST \(own)?topic_name=b")
      #expect(
        backend.outcome == "429 RESOURCE_EXHAUSTED The registration has too many topics."
      )
    }
  }
}
