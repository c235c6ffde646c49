import BaseText
import Crypto
import PushMessaging
import ServiceTestSupport
import Testing

/// Push resources: made by a client, sent to by whoever has their URLs.
@Suite struct ResourceRouteTests {
  private static let absent = "404 NOT_FOUND Requested entity was not found."
  private static let origin = "https://brasa.example"

  /// Makes a push resource of the first installation and gives the path of its URL.
  private static func make(
    _ messaging: MessagingServer,
    _ token: String,
    body: String = #"{"name":"mail"}"#
  ) async throws -> String {
    let response = try await messaging.routes.call(
      "POST /v1/projects/p/registrations/\(token)/pushResources?key=p",
      as: .stranger,
      body: body,
      headers: Installation.first.headers
    )
    #expect(response["name"]?.string == "mail")
    let endpoint = try #require(response["endpoint"]?.string)
    #expect(endpoint.hasPrefix("\(origin)/__/push/"))
    return String(endpoint.dropFirst(origin.count))
  }

  /// A header that proves a sender's key for an audience.
  private static func proof(
    _ key: P256.Signing.PrivateKey,
    audience: String = origin
  ) throws
    -> TestCaller
  {
    let end = 1_800_000_000 + 3_600
    let content = [
      #"{"typ":"JWT","alg":"ES256"}"#, #"{"aud":"\#(audience)","exp":\#(end)}"#,
    ].map { Base64.url(Array($0.utf8)) }.joined(separator: ".")
    let signature = try key.signature(for: Array(content.utf8))
    let token = "\(content).\(Base64.url(Array(signature.rawRepresentation)))"
    let point = Base64.url(Array(key.publicKey.x963Representation))
    return TestCaller("sender", authorization: "vapid t=\(token), k=\(point)")
  }

  @Test func `a sender's message waits for the client and is taken back`() async throws {
    try await MessagingServer.run { messaging in
      let routes = messaging.routes
      let path = try await Self.make(messaging, try await messaging.register())
      let sent = try await routes.call(
        "POST \(path)",
        as: .stranger,
        body: "sealed",
        headers: ["ttl": "60", "content-encoding": "aes128gcm", "topic": "a", "urgency": "high"]
      )
      #expect(sent.status == 201)
      #expect(sent.header("ttl") == "60")
      let location = try #require(sent.header("location"))
      #expect(location.hasPrefix("\(Self.origin)\(path)/"))
      let message = String(location.dropFirst(Self.origin.count))
      #expect(try await routes.call("GET \(message)", as: .stranger).status == 202)
      #expect(try await routes.call("DELETE \(message)", as: .stranger).status == 204)
      #expect(try await routes.call("GET \(message)", as: .stranger).status == 410)
      let again = try await routes.call("DELETE \(message)", as: .stranger)
      #expect(again.outcome == Self.absent)
    }
  }

  @Test func `a resource for a key takes that key's messages alone`() async throws {
    try await MessagingServer.run { messaging in
      let key = P256.Signing.PrivateKey()
      let point = Base64.url(Array(key.publicKey.x963Representation))
      let token = try await messaging.register()
      let path = try await Self.make(
        messaging,
        token,
        body: #"{"name":"mail","vapidKey":"\#(point)"}"#
      )
      let callers: [(caller: TestCaller, status: Int)] = [
        (.stranger, 401), (.key, 401), (try Self.proof(P256.Signing.PrivateKey()), 403),
        (try Self.proof(key, audience: "https://other.example"), 403), (try Self.proof(key), 201),
      ]
      for (caller, status) in callers {
        let response = try await messaging.routes.call(
          "POST \(path)",
          as: caller,
          headers: ["ttl": "60"]
        )
        #expect(response.status == status)
        #expect(response.header("www-authenticate") == (status == 401 ? "vapid" : nil))
      }
    }
  }

  @Test(arguments: [
    (#"{}"#, "A name must have 1 to 100 letters, digits, - and _."),
    (#"{"name":7}"#, "A name must have 1 to 100 letters, digits, - and _."),
    (#"{"name":"a b"}"#, "A name must have 1 to 100 letters, digits, - and _."),
    (#"{"name":"mail","vapidKey":"AAAA"}"#, "vapidKey is not base64url of 65 bytes."),
    (#"{"name":"mail","vapidKey":7}"#, "vapidKey is not base64url of 65 bytes."),
    (#"{"name":"mail","vapidKey":{}}"#, "vapidKey is not base64url of 65 bytes."),
    ("[]", "Invalid JSON payload received. An object is expected."),
  ])
  func `a wrong resource is refused`(body: String, message: String) async throws {
    try await MessagingServer.run { messaging in
      let token = try await messaging.register()
      let response = try await messaging.routes.call(
        "POST /v1/projects/p/registrations/\(token)/pushResources?key=p",
        as: .stranger,
        body: body,
        headers: Installation.first.headers
      )
      #expect(response.outcome == "400 INVALID_ARGUMENT \(message)")
    }
  }

  @Test(
    arguments: [
      ([:], "", "400 INVALID_ARGUMENT TTL is missing or not a number of seconds."),
      (["ttl": "x"], "", "400 INVALID_ARGUMENT TTL is missing or not a number of seconds."),
      (["ttl": "-1"], "", "400 INVALID_ARGUMENT TTL must be a number of seconds."),
      (
        ["ttl": "1", "urgency": "now"], "",
        "400 INVALID_ARGUMENT Urgency must be very-low, low, normal or high."
      ),
      (["ttl": "1"], "plain", "400 INVALID_ARGUMENT The content's encoding must be aes128gcm."),
      (
        ["ttl": "1", "topic": "a b"], "",
        "400 INVALID_ARGUMENT A topic must have 1 to 32 base64url characters."
      ),
      (["ttl": "1"], String(repeating: "a", count: 4_097), "413 too large"),
    ] as [([String: String], String, String)]
  )
  func `a wrong message is refused`(
    headers: [String: String],
    body: String,
    outcome: String
  ) async throws {
    try await MessagingServer.run { messaging in
      let path = try await Self.make(messaging, try await messaging.register())
      let response = try await messaging.routes.call(
        "POST \(path)",
        as: .stranger,
        body: body,
        headers: headers
      )
      #expect(response.outcome == outcome)
    }
  }

  @Test func `an unknown URL, an ended one and a foreign message are not found`() async throws {
    try await MessagingServer.run { messaging in
      let routes = messaging.routes
      let token = try await messaging.register()
      let path = try await Self.make(messaging, token)
      let sent = try await messaging.send(#"{"token":"\#(token)"}"#)
      for request in [
        "POST /__/push/unknown", "GET /__/push/unknown/0:1", "DELETE /__/push/unknown/0:1",
        "GET \(path)/0:1", "DELETE \(path)/x", "GET \(path)/\(sent)", "DELETE \(path)/\(sent)",
      ] {
        let response = try await routes.call(request, as: .stranger, headers: ["ttl": "1"])
        #expect(response.outcome == Self.absent, "\(request)")
      }
      let own = "DELETE /v1/projects/p/registrations/\(token)/pushResources/mail?key=p"
      for outcome in ["200", Self.absent] {
        let ended = try await routes.call(
          own,
          as: .stranger,
          headers: Installation.first.headers
        )
        #expect(ended.outcome == outcome)
      }
      let late = try await routes.call("POST \(path)", as: .stranger, headers: ["ttl": "1"])
      #expect(late.outcome == Self.absent)
      #expect(try await messaging.states(of: sent) == ["waiting"])
    }
  }
}
