import ServiceTestSupport
import Testing

/// The callers of each route of messaging.
@Suite struct MessagingRoleTests {
  private static let absent = "404 NOT_FOUND Requested entity was not found."
  private static let messages = "/v1/projects/{project}/messages"
  private static let topics =
    "/v1/projects/{project}/registrations/{token}/topicSubscriptions"

  static let cases: [RouteCase] =
    sending + credentials + [
      RouteCase(
        "POST /iid/v1:batchAdd",
        "/iid/v1:batchAdd",
        ofServer: true,
        #"400 {"error":"InvalidRequest"}"#
      ),
      RouteCase(
        "POST /iid/v1:batchRemove",
        "/iid/v1:batchRemove",
        ofServer: true,
        #"400 {"error":"InvalidRequest"}"#
      ),
      RouteCase(
        "POST /iid/v1:batchImport",
        "/iid/v1:batchImport",
        ofServer: true,
        #"400 {"error":"InvalidRequest"}"#
      ),
      RouteCase(
        "POST /iid/v1/{token}/rel/topics/{topic}",
        "/iid/v1/a:b/rel/topics/news",
        ofServer: true,
        absent
      ),
      RouteCase("GET /iid/info/{token}", "/iid/info/a:b", ofServer: true, absent),
      RouteCase(
        "POST \(topics)",
        "/v1/projects/p/registrations/a:b/topicSubscriptions?topic_name=news",
        absent
      ),
      RouteCase(
        "DELETE \(topics)/{topic}",
        "/v1/projects/p/registrations/a:b/topicSubscriptions/news",
        absent
      ),
    ]

  private static let sending = [
    RouteCase(
      "POST \(messages):send",
      "/v1/projects/p/messages:send",
      body: #"{"message":{"topic":"news"}}"#
    ),
    RouteCase(
      "POST \(messages):sendToUser",
      "/v1/projects/p/messages:sendToUser",
      body: #"{"uid":"ana","message":{}}"#,
      absent
    ),
    RouteCase(
      "POST \(messages):sendToAudience",
      "/v1/projects/p/messages:sendToAudience",
      body: #"{"audience":"loyal","message":{}}"#
    ),
    RouteCase(
      "POST \(messages):schedule",
      "/v1/projects/p/messages:schedule",
      body: #"{"scheduleTime":"2027-01-15T09:00:00Z","message":{"topic":"news"}}"#
    ),
    RouteCase("GET \(messages)", "/v1/projects/p/messages", takes: .viewer),
    RouteCase("GET \(messages):listTopics", "/v1/projects/p/messages:listTopics", takes: .viewer),
    RouteCase("GET \(messages)/{id}", "/v1/projects/p/messages/0:1", takes: .viewer, absent),
    RouteCase(
      "GET \(messages)/{id}/deliveries",
      "/v1/projects/p/messages/x/deliveries",
      takes: .viewer,
      absent
    ),
    RouteCase(
      "DELETE \(messages)/{id}",
      "/v1/projects/p/messages/0:1",
      "404 NOT_FOUND There is no scheduled message with that ID."
    ),
  ]

  private static let credentials = [
    RouteCase(
      "GET /v1/projects/{project}/pushCredentials",
      "/v1/projects/p/pushCredentials",
      takes: .viewer
    ),
    RouteCase(
      "POST /v1/projects/{project}/pushCredentials",
      "/v1/projects/p/pushCredentials",
      takes: .owner,
      recent: true,
      "400 INVALID_ARGUMENT The key is not a P-256 private key in PEM format, such as Apple's .p8 file."
    ),
    RouteCase(
      "DELETE /v1/projects/{project}/pushCredentials/{bundle}",
      "/v1/projects/p/pushCredentials/-",
      takes: .owner,
      recent: true,
      "404 NOT_FOUND There is no APNs key for this bundle."
    ),
    RouteCase(
      "GET /v1/projects/{project}/serverKeys",
      "/v1/projects/p/serverKeys",
      takes: .owner
    ),
    RouteCase(
      "POST /v1/projects/{project}/serverKeys",
      "/v1/projects/p/serverKeys",
      takes: .owner,
      recent: true,
      "400 INVALID_ARGUMENT A key needs a name of at most 100 bytes."
    ),
    RouteCase(
      "DELETE /v1/projects/{project}/serverKeys/{name}",
      "/v1/projects/p/serverKeys/backend",
      takes: .owner,
      recent: true,
      "404 NOT_FOUND There is no key with this name."
    ),
  ]

  /// Routes for apps and senders, whose proof is no administrator's; each has tests of its own.
  static let clients: Set<String> = [
    "POST /fcm/send", "POST /checkin", "POST /register", "POST /iid/register",
    "POST /v1/projects/{project}/registrations",
    "GET /v1/projects/{project}/registrations:vapidKey",
    "PATCH /v1/projects/{project}/registrations/{token}",
    "DELETE /v1/projects/{project}/registrations/{token}",
    "POST /v1/projects/{project}/registrations/{token}/topicSubscriptions/{topic}:subscribe",
    "POST /v1/projects/{project}/registrations/{token}/topicSubscriptions/{topic}:unsubscribe",
    "POST /v1/projects/{project}/registrations:connect",
    "POST /v1/projects/{project}/registrations:acknowledge",
    "POST /v1/projects/{project}/registrations/{token}/pushResources",
    "DELETE /v1/projects/{project}/registrations/{token}/pushResources/{name}",
    "POST /__/push/{capability}", "GET /__/push/{capability}/{id}",
    "DELETE /__/push/{capability}/{id}",
  ]

  @Test func `every route is in a table`() async throws {
    try await MessagingServer.run { messaging in
      #expect(messaging.routes.names == Self.clients.union(Self.cases.map(\.route)))
    }
  }

  @Test(arguments: cases)
  func `a caller without the rights is refused, and nobody else`(_ route: RouteCase) async throws {
    try await MessagingServer.run { messaging in
      let routes = messaging.routes
      for (caller, outcome) in route.refusals {
        let response = try await routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome == outcome, "\(caller)")
      }
      #expect(try await messaging.sent() == [])
      for caller in route.allowed {
        let response = try await routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome == route.outcome, "\(caller)")
      }
    }
  }

  /// A client's request with the token of its installation and the key of the project.
  static let proofs: [(request: String, body: String)] = [
    ("POST /v1/projects/p/registrations", #"{"direct":{}}"#),
    ("PATCH /v1/projects/p/registrations/a:b", #"{"direct":{}}"#),
    ("DELETE /v1/projects/p/registrations/a:b", ""),
    ("POST /v1/projects/p/registrations/a:b/topicSubscriptions/news:subscribe", ""),
    ("POST /v1/projects/p/registrations/a:b/topicSubscriptions/news:unsubscribe", ""),
    ("POST /v1/projects/p/registrations:connect", #"{"token":"a:b"}"#),
    ("POST /v1/projects/p/registrations:acknowledge", #"{"token":"a:b"}"#),
    ("POST /v1/projects/p/registrations/a:b/pushResources", #"{"name":"n"}"#),
    ("DELETE /v1/projects/p/registrations/a:b/pushResources/n", ""),
  ]

  @Test(arguments: proofs)
  func `an app shows a project's key and its installation's token`(
    request: String,
    body: String
  ) async throws {
    let noKey = "403 PERMISSION_DENIED The request is missing a valid API key."
    let wrongKey = "400 INVALID_ARGUMENT API key not valid. Please pass a valid API key."
    let noToken = "401 UNAUTHENTICATED The installation's token is not valid."
    let known = Installation.first.headers
    let foreign = Installation.elsewhere.headers
    let forged = ["x-goog-firebase-installations-auth": "FIS forged"]
    let refusals: [(query: String, headers: [String: String], outcome: String)] = [
      ("", known, noKey), ("?key=", known, noKey), ("?key=other", known, wrongKey),
      ("?key=q", known, "403 PERMISSION_DENIED The API key does not belong to the project p."),
      ("?key=p", [:], noToken), ("?key=p", forged, noToken), ("?key=p", foreign, noToken),
    ]
    try await MessagingServer.run { messaging in
      for (query, headers, outcome) in refusals {
        for caller in [TestCaller.stranger, .key] {
          let response = try await messaging.routes.call(
            request + query,
            as: caller,
            body: body,
            headers: headers
          )
          #expect(response.outcome == outcome, "\(query)")
        }
      }
    }
  }

  @Test(arguments: proofs.dropFirst())
  func `the token of no registration, and that of another installation, is refused`(
    request: String,
    body: String
  ) async throws {
    try await MessagingServer.run { messaging in
      let absent = try await messaging.routes.call(
        request + "?key=p",
        as: .stranger,
        body: body,
        headers: Installation.first.headers
      )
      #expect(absent.outcome == Self.absent)
      let token = try await messaging.register()
      let foreign = try await messaging.routes.call(
        request.replacing("a:b", with: token) + "?key=p",
        as: .stranger,
        body: body.replacing("a:b", with: token),
        headers: Installation.second.headers
      )
      let isStream = request.contains("registrations:")
      #expect(
        foreign.outcome
          == (isStream
            ? "401 UNAUTHENTICATED The registration belongs to another installation." : Self.absent)
      )
    }
  }
}
