import ServiceTestSupport
import Testing

/// Templates: publishing, reading, going back, versions, default values and drafts.
@Suite struct TemplateRouteTests {
  private static let path = ConfigServer.path

  @Test func `a template is published and read, in its namespace and project alone`() async throws {
    try await ConfigServer.run { config in
      let first = try await config.routes.call("GET \(Self.path)")
      #expect(first.text == "{}")
      #expect(first.header("etag") == "etag-p-0")
      let published = try await config.routes.call(
        "PUT \(Self.path)",
        as: .administrator(.editor, of: "p"),
        body: ConfigServer.template(),
        headers: ["if-match": "etag-p-0"]
      )
      #expect(published.header("etag") == "etag-p-1")
      #expect(published["version"]?["versionNumber"]?.string == "1")
      #expect(published["version"]?["updateOrigin"]?.string == "CONSOLE")
      #expect(published["version"]?["updateUser"]?["email"]?.string == "admin@example.com")
      let read = try await config.routes.call("GET \(Self.path)")
      #expect(read.json == published.json)
      #expect(read.header("etag") == "etag-p-1")
      let same = try await config.routes.call(
        "GET /v1/projects/p/namespaces/firebase/remoteConfig"
      )
      #expect(same.json == read.json)
      for path in [
        "/v1/projects/q/remoteConfig", "/v1/projects/p/namespaces/firebase-server/remoteConfig",
      ] {
        #expect(try await config.routes.call("GET \(path)").text == "{}")
      }
    }
  }

  @Test func `a template that somebody else changed is not replaced`() async throws {
    try await ConfigServer.run { config in
      try await config.publish()
      let stale = try await config.routes.call(
        "PUT \(Self.path)",
        body: ConfigServer.template("other"),
        headers: ["if-match": "etag-p-0"]
      )
      #expect(
        stale.outcome
          == "409 ABORTED [VERSION_MISMATCH]: The template has changed: its etag is "
          + "etag-p-1, not etag-p-0. Get the current template, change it and publish again."
      )
      let weak = try await config.routes.call(
        "PUT \(Self.path)",
        body: ConfigServer.template("other"),
        headers: ["if-match": "W/\"etag-p-1\""]
      )
      #expect(weak.outcome == "200")
      #expect(try await config.welcome() == "other")
    }
  }

  @Test(arguments: ["validateOnly", "validate_only"])
  func `a template that is only validated is not published`(name: String) async throws {
    try await ConfigServer.run { config in
      let request = "PUT \(Self.path)?\(name)="
      let checked = try await config.routes.call(
        request + "true",
        body: ConfigServer.template(),
        headers: ["if-match": "*"]
      )
      #expect(checked.outcome == "200")
      #expect(checked.header("etag") == "etag-p-0")
      for word in ["yes", "1", "True", ""] {
        let unclear = try await config.routes.call(
          request + word,
          body: ConfigServer.template(),
          headers: ["if-match": "*"]
        )
        #expect(
          unclear.outcome
            == #"400 INVALID_ARGUMENT Invalid value at 'validateOnly': "\#(word)" is not a boolean."#
        )
      }
      #expect(try await config.welcome() == nil)
      let published = try await config.routes.call(
        request + "false",
        body: ConfigServer.template(),
        headers: ["if-match": "*"]
      )
      #expect(published.header("etag") == "etag-p-1")
    }
  }

  static let wrongBodies: [(body: String, prefix: String)] = [
    ("{", "Invalid JSON payload received. "),
    ("7", "Invalid value at "),
    (#"{"color":1}"#, #"Invalid JSON payload received. Unknown name "color" at "#),
    (#"{"parameters":7}"#, "Invalid value at 'parameters"),
    (#"{"parameters":{"a":7}}"#, "Invalid value at 'parameters"),
    (#"{"parameters":{"a":{"defaultValue":{"value":7}}}}"#, "Invalid value at 'parameters"),
    (#"{"conditions":[{"name":"c","expression":"dance"}]}"#, "[VALIDATION_ERROR]: ["),
    (
      #"{"parameters":{"a":{"conditionalValues":{"c":{"value":"x"}}}}}"#, "[VALIDATION_ERROR]: ["
    ),
  ]

  @Test(arguments: wrongBodies)
  func `a wrong template is refused and not published`(body: String, prefix: String) async throws {
    try await ConfigServer.run { config in
      try await config.publish()
      let response = try await config.routes.call(
        "PUT \(Self.path)",
        body: body,
        headers: ["if-match": "*"]
      )
      #expect(response.outcome.hasPrefix("400 INVALID_ARGUMENT \(prefix)"), "\(response.outcome)")
      #expect(try await config.welcome() == "hi")
    }
  }

  @Test func `an earlier version is published again`() async throws {
    try await ConfigServer.run { config in
      try await config.publish(ConfigServer.template("one"))
      try await config.publish(ConfigServer.template("two"))
      let back = try await config.routes.call(
        "POST \(Self.path):rollback",
        body: #"{"versionNumber":"1"}"#
      )
      #expect(back["version"]?["versionNumber"]?.string == "3")
      #expect(back["version"]?["rollbackSource"]?.string == "1")
      #expect(try await config.welcome() == "one")
      let older = try await config.routes.call("GET \(Self.path)?versionNumber=2")
      #expect(older["parameters"]?["welcome"]?["defaultValue"]?["value"]?.string == "two")
      #expect(older.header("etag") == "etag-p-2")
      for (query, body, outcome) in [
        ("", "{}", "400 INVALID_ARGUMENT versionNumber is missing."),
        ("", #"{"versionNumber":0}"#, "400 INVALID_ARGUMENT versionNumber is missing."),
        ("", #"{"versionNumber":3}"#, "400 INVALID_ARGUMENT Version 3 is the newest one."),
        ("?versionNumber=9", "", "404 NOT_FOUND [VERSION_NOT_FOUND]: There is no version 9."),
        (
          "?versionNumber=x", "",
          #"400 INVALID_ARGUMENT Invalid value at 'versionNumber': "x" is not a number."#
        ),
      ] {
        let response = try await config.routes.call(
          "POST \(Self.path):rollback\(query)",
          body: body
        )
        #expect(response.outcome == outcome)
      }
      let absent = try await config.routes.call("GET \(Self.path)?versionNumber=9")
      #expect(absent.outcome == "404 NOT_FOUND [VERSION_NOT_FOUND]: There is no version 9.")
    }
  }

  @Test func `versions are listed in pages, the newest first`() async throws {
    try await ConfigServer.run { config in
      for number in 1...3 { try await config.publish(ConfigServer.template("\(number)")) }
      func list(_ query: String) async throws -> (numbers: [String], next: String?) {
        let response = try await config.routes.call("GET \(Self.path):listVersions?\(query)")
        let numbers = (response["versions"]?.elements ?? []).compactMap {
          $0["versionNumber"]?.string
        }
        return (numbers, response["nextPageToken"]?.string)
      }
      #expect(try await list("") == (["3", "2", "1"], nil))
      #expect(try await list("pageSize=2") == (["3", "2"], "1"))
      #expect(try await list("pageSize=2&pageToken=1") == (["1"], nil))
      #expect(try await list("endVersionNumber=2") == (["2", "1"], nil))
      #expect(try await list("startTime=2027-01-16T00:00:00Z") == ([], nil))
      #expect(try await list("endTime=2027-01-16T00:00:00Z").numbers.count == 3)
      for (query, message) in [
        ("pageSize=x", #"Invalid value at 'pageSize': "x" is not a number."#),
        ("pageSize=-1", #"Invalid value at 'pageSize': "-1" is not a number."#),
        ("pageSize=301", "pageSize must be at most 300."),
        ("startTime=yesterday", #"Invalid value at 'startTime': "yesterday" is not a valid time."#),
      ] {
        let response = try await config.routes.call("GET \(Self.path):listVersions?\(query)")
        #expect(response.outcome == "400 INVALID_ARGUMENT \(message)")
      }
    }
  }

  @Test func `default values are files of three kinds`() async throws {
    try await ConfigServer.run { config in
      try await config.publish(ConfigServer.template("<&>"))
      let files = [
        ("JSON", "application/json; charset=UTF-8", #""welcome": "<&>""#),
        ("XML", "application/xml; charset=UTF-8", "<value>&lt;&amp;&gt;</value>"),
        ("plist", "application/xml; charset=UTF-8", "<string>&lt;&amp;&gt;</string>"),
      ]
      for (format, type, content) in files {
        let file = try await config.routes.call(
          "GET \(Self.path):downloadDefaults?format=\(format)"
        )
        #expect(file.header("content-type") == type)
        #expect(file.text.contains(content), "\(file.text)")
      }
      for query in ["", "?format=YAML"] {
        let response = try await config.routes.call("GET \(Self.path):downloadDefaults\(query)")
        #expect(
          response.outcome == "400 INVALID_ARGUMENT format must be JSON, XML or PLIST."
        )
      }
    }
  }

  @Test func `a client's values are explained`() async throws {
    try await ConfigServer.run { config in
      try await config.publish(
        #"{"conditions":[{"name":"brazil","expression":"device.country in ['br']"}],"#
          + #""parameters":{"welcome":{"defaultValue":{"value":"hi"},"#
          + #""conditionalValues":{"brazil":{"value":"oi"}}}}}"#
      )
      let response = try await config.routes.call(
        "POST \(Self.path):evaluate",
        as: .administrator(.viewer, of: "p"),
        body: #"{"country_code":"BR"}"#
      )
      let outcome = response["parameters"]?["welcome"]
      #expect(outcome?["value"]?.string == "oi")
      #expect(outcome?["condition"]?.string == "brazil")
      let wrong = try await config.routes.call(
        "POST \(Self.path):evaluate",
        body: #"{"country_code":{}}"#
      )
      #expect(
        wrong.outcome
          == "400 INVALID_ARGUMENT Invalid value at 'country_code': a string is expected."
      )
    }
  }

  @Test func `a draft is kept, listed and deleted, and changes nothing for apps`() async throws {
    try await ConfigServer.run { config in
      let path = "\(Self.path)/drafts/ana"
      let kept = try await config.routes.call(
        "PUT \(path)",
        body: #"{"etag":"etag-p-0","template":\#(ConfigServer.template("draft"))}"#
      )
      #expect(kept["name"]?.string == "ana")
      #expect(kept["etag"]?.string == "etag-p-0")
      #expect(kept["template"]?.compact == ConfigServer.template("draft"))
      #expect(try await config.routes.call("GET \(path)").json == kept.json)
      let listed = try await config.routes.call("GET \(Self.path)/drafts")
      #expect(listed["drafts"]?.elements?.map { $0["name"]?.string } == ["ana"])
      #expect(listed["drafts"]?.elements?.first?["template"] == nil)
      let foreign = try await config.routes.call("GET /v1/projects/q/remoteConfig/drafts/ana")
      #expect(foreign.outcome == "404 NOT_FOUND There is no draft ana.")
      #expect(try await config.welcome() == nil)
      #expect(try await config.routes.call("DELETE \(path)").text == "{}")
      let again = try await config.routes.call("DELETE \(path)")
      #expect(again.outcome == "404 NOT_FOUND There is no draft ana.")
    }
  }

  @Test func `a wrong draft is refused`() async throws {
    try await ConfigServer.run { config in
      for body in ["{}", #"{"template":7}"#, "[]"] {
        let response = try await config.routes.call("PUT \(Self.path)/drafts/ana", body: body)
        #expect(response.outcome == "400 INVALID_ARGUMENT A draft has a template.")
      }
      let long = String(repeating: "n", count: 2_000)
      let named = try await config.routes.call(
        "PUT \(Self.path)/drafts/\(long)",
        body: #"{"template":{}}"#
      )
      #expect(
        named.outcome.hasPrefix("400 INVALID_ARGUMENT A draft's name must have between 1 and ")
      )
      let listed = try await config.routes.call("GET \(Self.path)/drafts")
      #expect(listed.text == #"{"drafts":[]}"#)
    }
  }

  @Test func `back ends read the template of their namespace`() async throws {
    try await ConfigServer.run { config in
      let root = "/v1/projects/p/namespaces/firebase-server"
      try await config.publish(to: "\(root)/remoteConfig")
      let read = try await config.routes.call("GET \(root)/serverRemoteConfig")
      #expect(read.header("etag") == "etag-p-firebase-server-1")
      #expect(
        read["parameters"]?["welcome"]?["defaultValue"]?["value"]?.string == "hi"
      )
      let apps = try await config.routes.call(
        "GET /v1/projects/p/namespaces/firebase/serverRemoteConfig"
      )
      #expect(
        apps.outcome == #"404 NOT_FOUND Back ends can read only the namespace "firebase-server"."#
      )
    }
  }

  @Test func `a goal that no experiment has is refused`() async throws {
    try await ConfigServer.run { config in
      #expect(
        try await config.routes.call("GET \(Self.path)/experiments").text
          == #"{"experiments":[]}"#
      )
      let response = try await config.routes.call(
        "GET \(Self.path)/experiments/e?event=purchase&measure=luck"
      )
      #expect(
        response.outcome == "400 INVALID_ARGUMENT measure must be users, events or value."
      )
    }
  }
}
