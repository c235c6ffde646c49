import PushMessaging
import ServiceTestSupport
import Testing

/// The forms of Apple's clients, and device tokens that a back end takes over.
@Suite struct AppleRouteTests {
  private static let device = String(repeating: "ab", count: 32)
  private static let form = "apns_token=s_\(device)&app=br.shop&app_ver=3&sender=42"

  private static let tooMany = Array(repeating: #""x""#, count: 101).joined(separator: ",")

  private static func register(
    _ messaging: MessagingServer,
    _ form: String = form,
    headers: [String: String] = Installation.first.headers
  ) async throws -> TestResponse {
    try await messaging.routes.call(
      "POST /register",
      as: .stranger,
      body: form,
      headers: headers
    )
  }

  @Test func `a device checks in, registers and ends its registration`() async throws {
    try await MessagingServer.run { messaging in
      let routes = messaging.routes
      let checked = try await routes.call("POST /checkin", as: .stranger, body: "anything")
      #expect(checked["stats_ok"]?.boolean == true)
      #expect(checked["android_id"]?.integer == 1_800_000_000_000_000)
      let registered = try await Self.register(messaging)
      let token = String(registered.text.dropFirst("token=".count))
      let info = try await routes.call("GET /iid/info/\(token)")
      #expect(info["platform"]?.string == "IOS")
      #expect(info["applicationVersion"]?.string == "3")
      // Also when it is gone already.
      for _ in 0..<2 {
        let ended = try await Self.register(messaging, "delete=true")
        #expect(ended.text == "token=\(Installation.first.id)")
      }
      let gone = try await routes.call("GET /iid/info/\(token)")
      #expect(gone.outcome == "404 NOT_FOUND Requested entity was not found.")
    }
  }

  @Test func `a wrong registration is refused with a word`() async throws {
    try await MessagingServer.run { messaging in
      let cases: [(form: String, headers: [String: String], text: String)] = [
        (Self.form, [:], "Error=AUTHENTICATION_FAILED"),
        (
          Self.form, ["x-goog-firebase-installations-auth": "forged"],
          "Error=AUTHENTICATION_FAILED"
        ),
        ("", Installation.first.headers, "Error=INVALID_PARAMETERS"),
        ("apns_token=\(Self.device)&app=a", Installation.first.headers, "Error=INVALID_PARAMETERS"),
        ("apns_token=s_xy&app=a", Installation.first.headers, "Error=INVALID_PARAMETERS"),
        ("apns_token=s_\(Self.device)", Installation.first.headers, "Error=INVALID_PARAMETERS"),
        ("%zz", Installation.first.headers, "Error=INVALID_PARAMETERS"),
      ]
      for (form, headers, text) in cases {
        let response = try await Self.register(messaging, form, headers: headers)
        #expect(response.text == text, "\(form)")
      }
    }
  }

  @Test func `a device subscribes by its token alone`() async throws {
    try await MessagingServer.run { messaging in
      let token = try await messaging.register()
      func change(_ form: String) async throws -> String {
        try await messaging.routes.call("POST /iid/register", as: .stranger, body: form).text
      }
      func topics() async throws -> Int? {
        let listed = try await messaging.routes.call("GET /v1/projects/p/messages:listTopics")
        return listed["topics"]?.elements?.count
      }
      let sender = token.replacing(":", with: "%3A")
      #expect(try await change("sender=\(sender)&X-gcm.topic=/topics/news") == "token=\(token)")
      #expect(try await topics() == 1)
      #expect(
        try await change("sender=\(sender)&X-gcm.topic=/topics/news&delete=true")
          == "token=\(token)"
      )
      #expect(try await topics() == 0)
      #expect(try await change("sender=a:b&X-gcm.topic=/topics/news") == "Error=INVALID_TOKEN")
      for form in ["", "sender=\(sender)", "sender=\(sender)&X-gcm.topic=a%20b", "sender=x"] {
        #expect(try await change(form) == "Error=INVALID_PARAMETERS", "\(form)")
      }
    }
  }

  @Test func `a back end takes over device tokens`() async throws {
    try await MessagingServer.run { messaging in
      _ = try await Self.register(messaging, Self.form.replacing("=s_", with: "=p_"))
      let other = String(repeating: "cd", count: 32)
      let response = try await messaging.routes.call(
        "POST /iid/v1:batchImport",
        body: #"{"application":"br.shop","apns_tokens":["\#(other)","\#(Self.device)","x"]}"#,
        headers: ["x-goog-user-project": "p"]
      )
      let results = try #require(response["results"]?.elements)
      #expect(
        results.map { $0["status"]?.string } == ["OK", "ALREADY_REGISTERED", "INVALID_ARGUMENT"]
      )
      #expect(results.map { $0["apns_token"]?.string } == [other, Self.device, "x"])
      let token = try #require(results[0]["registration_token"]?.string)
      let info = try await messaging.routes.call("GET /iid/info/\(token)")
      #expect(info["authorizedEntity"]?.string == "p")
      #expect(info["application"]?.string == "br.shop")
    }
  }

  @Test(
    arguments: [
      ("p", ""), ("p", "{"), ("p", "{}"), ("p", #"{"application":"b","apns_tokens":[]}"#),
      ("p", #"{"application":"b","apns_tokens":[7]}"#), ("p", #"{"apns_tokens":["x"]}"#),
      ("p", #"{"application":"b","apns_tokens":[\#(tooMany)]}"#),
      ("p", #"{"application":"b","apns_tokens":["x"],"sandbox":"yes"}"#),
      ("", #"{"application":"b","apns_tokens":["x"]}"#),
      (nil, #"{"application":"b","apns_tokens":["x"]}"#),
    ] as [(String?, String)]
  )
  func `a wrong import is refused`(project: String?, body: String) async throws {
    try await MessagingServer.run { messaging in
      let response = try await messaging.routes.call(
        "POST /iid/v1:batchImport",
        body: body,
        headers: project.map { ["x-goog-user-project": $0] } ?? [:]
      )
      #expect(response.status == 400)
      #expect(
        ["InvalidRequest", "INVALID_ARGUMENT"].contains(response["error"]?.string),
        "\(response.text)"
      )
    }
  }
}
