import BaseJSON
import Crypto
import ServiceTestSupport
import Testing

/// Credentials of push services, and keys of the legacy form.
@Suite struct CredentialRouteTests {
  private static let credentials = "/v1/projects/p/pushCredentials"
  private static let keys = "/v1/projects/p/serverKeys"
  private static let privateKey = P256.Signing.PrivateKey().pemRepresentation

  private static func apnsKey(
    id: String = "ABCDE12345",
    team: String = "TEAM123456",
    bundle: String = "br.shop",
    privateKey: String = privateKey
  ) -> String {
    JSONValue.object([
      .init("keyId", .string(id)), .init("teamId", .string(team)),
      .init("bundleId", .string(bundle)), .init("privateKey", .string(privateKey)),
    ]).compact
  }

  @Test func `an APNs key is kept, listed without its secret and forgotten`() async throws {
    try await MessagingServer.run { messaging in
      let routes = messaging.routes
      for bundle in ["br.shop", ""] {
        let added = try await routes.call(
          "POST \(Self.credentials)",
          body: Self.apnsKey(bundle: bundle)
        )
        #expect(added.text == "{}")
      }
      let listed = try await routes.call("GET \(Self.credentials)", as: .administrator(.viewer))
      let bundles = listed["apnsKeys"]?.elements?.map { $0["bundleId"]?.string ?? "-" }
      #expect(bundles?.sorted() == ["", "br.shop"])
      #expect(!listed.text.contains("PRIVATE KEY"))
      #expect(!listed.text.contains("privateKey"))
      let foreign = try await routes.call("GET /v1/projects/q/pushCredentials")
      #expect(foreign.text == #"{"apnsKeys":[],"vapidPublicKey":null}"#)
      for bundle in ["br.shop", "-"] {
        let removed = try await routes.call("DELETE \(Self.credentials)/\(bundle)")
        #expect(removed.text == "{}")
        let again = try await routes.call("DELETE \(Self.credentials)/\(bundle)")
        #expect(again.outcome == "404 NOT_FOUND There is no APNs key for this bundle.")
      }
      let left = try await routes.call("GET \(Self.credentials)")
      #expect(left["apnsKeys"]?.elements == [])
    }
  }

  @Test func `what is no APNs key is refused`() async throws {
    try await MessagingServer.run { messaging in
      let noKey =
        "400 INVALID_ARGUMENT The key is not a P-256 private key in PEM format, such as Apple's .p8 file."
      let cases: [(body: String, outcome: String)] = [
        ("{}", noKey), (Self.apnsKey(privateKey: "secret"), noKey),
        (#"{"privateKey":7}"#, noKey),
        (
          Self.apnsKey(bundle: String(repeating: "b", count: 256)),
          "400 INVALID_ARGUMENT The bundle ID is too long."
        ),
        ("7", "400 INVALID_ARGUMENT Invalid JSON payload received. An object is expected."),
      ]
      for (body, outcome) in cases {
        let response = try await messaging.routes.call("POST \(Self.credentials)", body: body)
        #expect(response.outcome == outcome)
        #expect(!response.text.contains("secret"))
      }
      for body in [Self.apnsKey(id: "short"), Self.apnsKey(team: "TEAM-12345")] {
        let response = try await messaging.routes.call("POST \(Self.credentials)", body: body)
        #expect(response.outcome.hasPrefix("400 INVALID_ARGUMENT "))
      }
      let listed = try await messaging.routes.call("GET \(Self.credentials)")
      #expect(listed["apnsKeys"]?.elements == [])
    }
  }

  @Test func `a server key sends in the legacy form until it is revoked`() async throws {
    try await MessagingServer.run { messaging in
      let routes = messaging.routes
      let made = try await routes.call(
        "POST \(Self.keys)",
        as: .administrator(.owner, of: "p"),
        body: #"{"name":"backend"}"#
      )
      #expect(made["name"]?.string == "backend")
      #expect(made.header("cache-control") == "no-store")
      let key = try #require(made["key"]?.string)
      let listed = try await routes.call("GET \(Self.keys)")
      #expect(listed["keys"]?.elements?.count == 1)
      #expect(listed["keys"]?.elements?.first?["createdBy"]?.string == "admin@example.com")
      #expect(listed["keys"]?.elements?.first?["hint"]?.string == String(key.prefix(8)))
      #expect(!listed.text.contains(key))
      #expect(try await routes.call("GET /v1/projects/q/serverKeys").text == #"{"keys":[]}"#)
      let token = try await messaging.register()
      let backend = TestCaller("server key", authorization: "key=\(key)")
      let body = #"{"to":"\#(token)","data":{"n":1}}"#
      let sent = try await routes.call("POST /fcm/send", as: backend, body: body)
      #expect(sent["success"]?.integer == 1)
      let id = try #require(sent["results"]?.elements?.first?["message_id"]?.string)
      #expect(try await messaging.sent() == [id])
      #expect(try await routes.call("DELETE \(Self.keys)/backend").text == "{}")
      let refused = try await routes.call("POST /fcm/send", as: backend, body: body)
      #expect(refused.outcome == "401 Unauthorized: the server key is not valid.")
      #expect(try await messaging.sent() == [id])
    }
  }

  @Test(arguments: [
    ("{}", "A key needs a name of at most 100 bytes."),
    (#"{"name":7}"#, "A key needs a name of at most 100 bytes."),
    (
      #"{"name":"\#(String(repeating: "n", count: 101))"}"#,
      "A key needs a name of at most 100 bytes."
    ),
    (
      #"{"name":"backend"}"#,
      "The project already has a key with that name, or the maximum of 100 keys."
    ),
  ])
  func `a key without a name of its own is refused`(body: String, message: String) async throws {
    try await MessagingServer.run { messaging in
      _ = try await messaging.routes.call("POST \(Self.keys)", body: #"{"name":"backend"}"#)
      let response = try await messaging.routes.call("POST \(Self.keys)", body: body)
      #expect(response.outcome == "400 INVALID_ARGUMENT \(message)")
      let listed = try await messaging.routes.call("GET \(Self.keys)")
      #expect(listed["keys"]?.elements?.count == 1)
    }
  }

  @Test func `the legacy form takes nothing but a server key`() async throws {
    try await MessagingServer.run { messaging in
      for caller in [
        TestCaller.stranger, .key, .forger, .user(), .administrator(.owner),
        TestCaller("empty key", authorization: "key="),
        TestCaller("another key", authorization: "key=p"),
      ] {
        let response = try await messaging.routes.call(
          "POST /fcm/send",
          as: caller,
          body: #"{"to":"/topics/news"}"#
        )
        #expect(response.outcome == "401 Unauthorized: the server key is not valid.")
      }
      #expect(try await messaging.sent() == [])
    }
  }

  static let legacyBodies: [(body: String, outcome: String)] = [
    ("{", "400 JSON_PARSING_ERROR"),
    (
      #"{"notification_key":"x"}"#,
      "400 notification_key is not supported, because Brasa has no device groups. Use registration_ids."
    ),
    ("{}", #"{"error":"MissingRegistration"}"#),
    (#"{"registration_ids":[7]}"#, #"{"error":"MissingRegistration"}"#),
    (#"{"to":"/topics/a b"}"#, #"{"error":"InvalidRegistration"}"#),
    (#"{"to":"/topics/news","time_to_live":-1}"#, #"{"error":"InvalidTtl"}"#),
    (#"{"to":"/topics/news","data":{"from":"x"}}"#, #"{"error":"InvalidDataKey"}"#),
  ]

  @Test(arguments: legacyBodies)
  func `a wrong legacy message is refused in the legacy form`(
    body: String,
    outcome: String
  ) async throws {
    try await MessagingServer.run(takesAnyServerKey: true) { messaging in
      let response = try await messaging.routes.call(
        "POST /fcm/send",
        as: TestCaller("any key", authorization: "key=p"),
        body: body
      )
      #expect(
        response.status == 200 ? response.text == outcome : response.outcome.hasPrefix(outcome),
        "\(response.outcome) \(response.text)"
      )
      #expect(try await messaging.sent() == [])
    }
  }

  @Test func `each token of a legacy message has its result, and a trial sends nothing`()
    async throws
  {
    try await MessagingServer.run(takesAnyServerKey: true) { messaging in
      let key = TestCaller("any key", authorization: "key=p")
      let token = try await messaging.register()
      let other = try await messaging.register(.elsewhere)
      let many = try await messaging.routes.call(
        "POST /fcm/send",
        as: key,
        body: #"{"registration_ids":["\#(token)","a:b","x","\#(other)"],"dry_run":true}"#
      )
      #expect(many["success"]?.integer == 1)
      #expect(many["failure"]?.integer == 3)
      #expect(
        many["results"]?.elements?.map { $0["error"]?.string }
          == [nil, "NotRegistered", "InvalidRegistration", "MismatchSenderId"]
      )
      let topic = try await messaging.routes.call(
        "POST /fcm/send",
        as: key,
        body: "to=%2Ftopics%2Fnews&data.n=1&dry_run=1",
        headers: ["content-type": "application/x-www-form-urlencoded"]
      )
      #expect(topic.text == #"{"message_id":-1}"#)
      #expect(try await messaging.sent() == [])
    }
  }
}
