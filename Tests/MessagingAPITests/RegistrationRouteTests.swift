import BaseText
import PushMessaging
import ServiceTestSupport
import Testing

/// Registrations of apps.
@Suite struct RegistrationRouteTests {
  private static let registrations = "/v1/projects/p/registrations"
  private static let absent = "404 NOT_FOUND Requested entity was not found."
  /// The keys of a browser's subscription.
  static let keys =
    #""p256dh":"BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8","#
    + #""auth":"AAAAAAAAAAAAAAAAAAAAAA""#

  @Test(arguments: [
    (#"{"direct":{"app_version":"3"}}"#, "ANDROID"),
    (#"{"web":{"endpoint":"https://push.example/1",\#(keys)}}"#, "CHROME"),
    (
      #"{"ios":{"apns_token":"\#(String(repeating: "ab", count: 32))","bundle_id":"br.shop"}}"#,
      "IOS"
    ),
  ])
  func `an app of each kind registers`(form: String, platform: String) async throws {
    try await MessagingServer.run { messaging in
      let response = try await messaging.routes.call(
        "POST \(Self.registrations)?key=p",
        as: .stranger,
        body: form,
        headers: Installation.first.headers
      )
      let token = try #require(response["token"]?.string)
      #expect(token.hasPrefix("\(Installation.first.id):"))
      #expect(response["name"]?.string == "projects/p/registrations/\(token)")
      let info = try await messaging.routes.call("GET /iid/info/\(token)")
      #expect(info["application"]?.string == "1:42:ios:ab")
      #expect(info["authorizedEntity"]?.string == "p")
      #expect(info["platform"]?.string == platform)
      #expect(info["rel"] == nil)
    }
  }

  @Test func `the key may also come in a header, and the project as a number`() async throws {
    try await MessagingServer.run { messaging in
      var headers = Installation.first.headers
      headers["x-goog-api-key"] = "p"
      let response = try await messaging.routes.call(
        "POST /v1/projects/1234/registrations",
        as: .stranger,
        body: #"{"direct":{}}"#,
        headers: headers
      )
      #expect(response.outcome == "200")
      #expect(response["name"]?.string?.hasPrefix("projects/p/") == true)
    }
  }

  @Test func `a second registration of an installation takes the first one's place`() async throws {
    try await MessagingServer.run { messaging in
      let first = try await messaging.register()
      let second = try await messaging.register()
      let info = try await messaging.routes.call("GET /iid/info/\(first)")
      #expect(info.outcome == Self.absent)
      #expect(try await messaging.routes.call("GET /iid/info/\(second)").outcome == "200")
    }
  }

  @Test func `a change keeps the token, and a deletion ends it`() async throws {
    try await MessagingServer.run { messaging in
      let token = try await messaging.register()
      let own = "\(Self.registrations)/\(token)?key=p"
      let renewed = try await messaging.routes.call(
        "PATCH \(own)",
        as: .stranger,
        body: #"{"web":{"endpoint":"https://push.example/1","app_version":"4",\#(Self.keys)}}"#,
        headers: Installation.first.headers
      )
      #expect(renewed["token"]?.string == token)
      let info = try await messaging.routes.call("GET /iid/info/\(token)")
      #expect(info["applicationVersion"]?.string == "4")
      #expect(info["platform"]?.string == "CHROME")
      for outcome in ["200", Self.absent] {
        let deleted = try await messaging.routes.call(
          "DELETE \(own)",
          as: .stranger,
          headers: Installation.first.headers
        )
        #expect(deleted.outcome == outcome)
      }
      #expect(try await messaging.routes.call("GET /iid/info/\(token)").outcome == Self.absent)
    }
  }

  @Test func `an ID token that is not valid is refused`() async throws {
    try await MessagingServer.run { messaging in
      let response = try await messaging.routes.call(
        "POST \(Self.registrations)?key=p",
        as: .forger,
        body: #"{"direct":{}}"#,
        headers: Installation.first.headers
      )
      #expect(response.outcome == "401 UNAUTHENTICATED Missing or invalid authentication.")
    }
  }

  static let wrongBodies: [(body: String, outcome: String)] = [
    ("", "400 INVALID_ARGUMENT One of web, ios and direct is expected."),
    ("7", "400 INVALID_ARGUMENT Invalid JSON payload received. An object is expected."),
    (#"{"direct":7}"#, "400 INVALID_ARGUMENT One of web, ios and direct is expected."),
    (
      #"{"direct":{},"ios":{}}"#, "400 INVALID_ARGUMENT One of web, ios and direct is expected."
    ),
    (
      #"{"web":{"endpoint":"ftp://push.example",\#(keys)}}"#,
      "400 INVALID_ARGUMENT The endpoint is not the URL of a push service."
    ),
    (
      #"{"web":{"endpoint":"https://\#(String(repeating: "a", count: 1_000))",\#(keys)}}"#,
      "400 INVALID_ARGUMENT The endpoint is not the URL of a push service."
    ),
    (
      #"{"web":{"endpoint":"https://push.example/1"}}"#,
      "400 INVALID_ARGUMENT web.p256dh is not base64url of 65 bytes."
    ),
    (
      #"{"web":{"endpoint":"https://push.example/1",\#(keys),"applicationPubKey":"AAAA"}}"#,
      "400 INVALID_ARGUMENT web.applicationPubKey is not base64url of 65 bytes."
    ),
    (
      #"{"web":{"endpoint":"https://push.example/1",\#(keys),"applicationPubKey":7}}"#,
      "400 INVALID_ARGUMENT web.applicationPubKey is not base64url of 65 bytes."
    ),
    (
      #"{"ios":{"apns_token":"x","bundle_id":"b"}}"#,
      "400 INVALID_ARGUMENT apns_token is not a device token."
    ),
    (
      #"{"ios":{"apns_token":"\#(String(repeating: "ab", count: 32))"}}"#,
      "400 INVALID_ARGUMENT bundle_id is missing."
    ),
    (
      #"{"direct":{"language":"\#(String(repeating: "a", count: 101))"}}"#,
      "400 INVALID_ARGUMENT language is too long."
    ),
  ]

  @Test(arguments: wrongBodies)
  func `a wrong form is refused`(body: String, outcome: String) async throws {
    try await MessagingServer.run { messaging in
      let token = try await messaging.register()
      for request in ["POST \(Self.registrations)", "PATCH \(Self.registrations)/\(token)"] {
        let response = try await messaging.routes.call(
          "\(request)?key=p",
          as: .stranger,
          body: body,
          headers: Installation.first.headers
        )
        #expect(response.outcome == outcome, "\(request)")
      }
    }
  }

  @Test func `a network registers so often in an hour, and a body is at most 16 KiB`() async throws
  {
    var limits = MessagingLimits()
    limits.registrationsPerNetwork = 1
    try await MessagingServer.run(limits: limits) { messaging in
      let request = "POST \(Self.registrations)?key=p"
      let long = try await messaging.routes.call(
        request,
        as: .stranger,
        body: String(repeating: " ", count: 16 << 10 + 1),
        headers: Installation.first.headers
      )
      #expect(long.status == 413)
      _ = try await messaging.register()
      let response = try await messaging.routes.call(
        request,
        as: .stranger,
        body: #"{"direct":{}}"#,
        headers: Installation.second.headers
      )
      #expect(
        response.outcome
          == "429 RESOURCE_EXHAUSTED Too many registrations were created. Try again later."
      )
      #expect(response.header("retry-after") == "10")
      messaging.server.advance(seconds: 3_600)
      _ = try await messaging.register(.second)
    }
  }

  @Test func `pages learn the key of their subscriptions`() async throws {
    try await MessagingServer.run { messaging in
      let request = "GET \(Self.registrations):vapidKey"
      let missing = try await messaging.routes.call(request, as: .stranger)
      #expect(
        missing.outcome == "403 PERMISSION_DENIED The request is missing a valid API key."
      )
      let first = try await messaging.routes.call(request + "?key=p", as: .stranger)
      let key = try #require(first["publicKey"]?.string)
      #expect(Base64.decode(key)?.count == 65)
      let again = try await messaging.routes.call(request + "?key=p", as: .stranger)
      #expect(again.text == first.text)
      let credentials = try await messaging.routes.call("GET /v1/projects/p/pushCredentials")
      #expect(credentials["vapidPublicKey"]?.string == key)
    }
  }
}
