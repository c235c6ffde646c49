import ServiceTestSupport
import Testing

/// The fetches of apps, and the stream that tells them of news.
@Suite struct FetchRouteTests {
  private static let root = "/v1/projects/p/namespaces/firebase"
  private static let app = #"{app_id:'1:42:ios:ab',app_instance_id:'cAAAAAAAAAAAAAAAAAAAAA'}"#

  @Test func `an app gets its values once, and then that nothing changed`() async throws {
    try await ConfigServer.run { config in
      try await config.publish()
      let request = "POST \(Self.root):fetch?key=p"
      let fetched = try await config.routes.call(request, as: .stranger, body: Self.app)
      #expect(fetched["entries"]?.compact == #"{"welcome":"hi"}"#)
      #expect(fetched["state"]?.string == "UPDATE")
      #expect(fetched.header("cache-control") == "no-store")
      let tag = try #require(fetched.header("etag"))
      let again = try await config.routes.call(
        request,
        as: .stranger,
        body: Self.app,
        headers: ["if-none-match": tag]
      )
      #expect(again["state"]?.string == "NO_CHANGE")
      #expect(again["entries"] == nil)
      try await config.publish(ConfigServer.template("oi"))
      let changed = try await config.routes.call(
        request,
        as: .stranger,
        body: Self.app,
        headers: ["if-none-match": tag]
      )
      #expect(changed["entries"]?.compact == #"{"welcome":"oi"}"#)
      let other = try await config.routes.call(
        "POST /v1/projects/q/namespaces/firebase:fetch?key=q",
        as: .stranger,
        body: Self.app
      )
      #expect(other.outcome == "200")
      #expect(!other.text.contains("welcome"))
    }
  }

  @Test func `a stream tells the number of the newest template`() async throws {
    try await ConfigServer.run { config in
      try await config.publish()
      try await config.publish()
      let request = "POST \(Self.root):streamFetchInvalidations?key=p"
      let told = try await config.routes.call(
        request,
        as: .stranger,
        body: #"{"lastKnownVersionNumber":"1"}"#
      ) { [templates = config.templates] text in
        if text.contains("}") { templates.streams.close() }
        return false
      }
      #expect(told.text == #"[{"latestTemplateVersionNumber":"2"}]"#)
    }
  }

  @Test func `a stream is silent about a number that the app knows`() async throws {
    try await ConfigServer.run { config in
      try await config.publish()
      let known = try await config.routes.call(
        "POST \(Self.root):streamFetchInvalidations?key=p",
        as: .stranger,
        body: #"{"lastKnownVersionNumber":1}"#
      ) { [templates = config.templates] _ in
        templates.streams.close()
        return true
      }
      #expect(known.text == "[]")
    }
  }

  static let refusals: [(target: String, outcome: String)] = [
    (
      "/v1/projects/p/namespaces/firebase:VERB",
      "403 PERMISSION_DENIED The request is missing a valid API key."
    ),
    (
      "/v1/projects/p/namespaces/firebase:VERB?key=x",
      "400 INVALID_ARGUMENT API key not valid. Please pass a valid API key."
    ),
    (
      "/v1/projects/p/namespaces/firebase:VERB?key=q",
      "403 PERMISSION_DENIED The API key does not belong to the project p."
    ),
    (
      "/v1/projects/p/namespaces/firebase-server:VERB?key=p",
      #"404 NOT_FOUND Apps can read only the namespace "firebase"."#
    ),
    (
      "/v1/projects/p/namespaces/other:VERB?key=p",
      #"404 NOT_FOUND Apps can read only the namespace "firebase"."#
    ),
  ]

  @Test(arguments: refusals)
  func `a request without the project's key or of another namespace is refused`(
    target: String,
    outcome: String
  ) async throws {
    try await ConfigServer.run { config in
      try await config.publish(to: "/v1/projects/p/namespaces/firebase-server/remoteConfig")
      for verb in ["fetch", "streamFetchInvalidations"] {
        for caller in [TestCaller.stranger, .key] {
          let response = try await config.routes.call(
            "POST \(target.replacing("VERB", with: verb))",
            as: caller,
            body: Self.app
          )
          #expect(response.outcome == outcome, "\(verb)")
        }
      }
    }
  }

  @Test(arguments: [
    ("7", "Invalid JSON payload received. An object is expected."),
    (#"{"app_id":{}}"#, "Invalid value at 'app_id': a string is expected."),
    (
      #"{"app_id":"\#(String(repeating: "a", count: 2_001))"}"#,
      "Invalid value at 'app_id': it is too long."
    ),
    (
      #"{"first_open_time":"yesterday"}"#,
      #"Invalid value at 'first_open_time': "yesterday" is not a valid time."#
    ),
    (
      #"{"custom_signals":{"a":{}}}"#,
      "Invalid value at 'custom_signals': values must be strings or numbers."
    ),
  ])
  func `a wrong body is refused`(body: String, message: String) async throws {
    try await ConfigServer.run { config in
      let response = try await config.routes.call(
        "POST \(Self.root):fetch?key=p",
        as: .stranger,
        body: body
      )
      #expect(response.outcome == "400 INVALID_ARGUMENT \(message)")
    }
  }

  @Test func `what is too long or damaged is refused`() async throws {
    try await ConfigServer.run { config in
      for verb in ["fetch", "streamFetchInvalidations"] {
        let request = "POST \(Self.root):\(verb)?key=p"
        let long = try await config.routes.call(
          request,
          as: .stranger,
          body: String(repeating: " ", count: 64 << 10 + 1)
        )
        #expect(long.status == 413)
        let gzip = try await config.routes.call(
          request,
          as: .stranger,
          bytes: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 7]
        )
        #expect(gzip.outcome == "400 INVALID_ARGUMENT The gzip body is damaged.")
      }
    }
  }
}
