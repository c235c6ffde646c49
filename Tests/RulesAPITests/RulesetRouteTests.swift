import ServiceTestSupport
import Testing

/// Rulesets that are kept, read, listed, tried and forgotten.
@Suite struct RulesetRouteTests {
  @Test func `a ruleset is kept, read, listed and deleted`() async throws {
    try await RulesServer.run { routes, server in
      let made = try await routes.call(
        "POST /v1/projects/p/rulesets",
        body: RulesText.body(RulesText.open)
      )
      #expect(made.outcome == "200")
      let name = try #require(made["name"]?.string)
      #expect(name.wholeMatch(of: /projects\/p\/rulesets\/[0-9a-f-]{36}/) != nil)
      #expect(made["source"]?.compact == RulesText.source(RulesText.open))
      let read = try await routes.call("GET /v1/\(name)")
      #expect(read.json == made.json)
      let listed = try await routes.call("GET /v1/projects/p/rulesets")
      let time = try #require(made["createTime"]?.string)
      let services = #""metadata":{"services":["cloud.firestore"]}"#
      #expect(
        listed.text
          == #"{"rulesets":[{"name":"\#(name)","createTime":"\#(time)",\#(services)}]}"#
      )
      let deleted = try await routes.call("DELETE /v1/\(name)")
      #expect(deleted.text == "{}")
      #expect(try server.rules.rulesets(of: "p").isEmpty)
      let id = name.dropFirst("projects/p/rulesets/".count)
      let gone = try await routes.call("GET /v1/\(name)")
      #expect(gone.outcome == "404 NOT_FOUND There is no ruleset \(id).")
    }
  }

  @Test func `a ruleset of another project is none`() async throws {
    try await RulesServer.run { routes, _ in
      let id = try await routes.createRuleset(RulesText.open)
      for request in [
        "GET /v1/projects/q/rulesets/\(id)", "DELETE /v1/projects/q/rulesets/\(id)",
        "POST /v1/projects/q/rulesets/\(id):test",
      ] {
        let response = try await routes.call(request)
        #expect(response.outcome == "404 NOT_FOUND There is no ruleset \(id).", "\(request)")
      }
      let released = try await routes.call(
        "PATCH /v1/projects/q/releases/cloud.firestore",
        body: #"{"release":{"rulesetName":"projects/p/rulesets/\#(id)"}}"#
      )
      #expect(
        released.outcome
          == "400 INVALID_ARGUMENT \"projects/p/rulesets/\(id)\" must have the form "
          + "projects/q/rulesets/…."
      )
      #expect(try await routes.call("GET /v1/projects/q/rulesets").text == #"{"rulesets":[]}"#)
      #expect(try await routes.call("GET /v1/projects/p/rulesets/\(id)").outcome == "200")
    }
  }

  @Test func `rulesets are listed in pages, the newest first`() async throws {
    try await RulesServer.run { routes, _ in
      var made: [String] = []
      for _ in 0..<12 { made.append(try await routes.createRuleset(RulesText.shut)) }
      func page(_ query: String) async throws -> (ids: [String], next: String?) {
        let response = try await routes.call("GET /v1/projects/p/rulesets?\(query)")
        let ids = (response["rulesets"]?.elements ?? []).compactMap {
          $0["name"]?.string?.split(separator: "/").last.map(String.init)
        }
        return (ids, response["nextPageToken"]?.string)
      }
      let newest = Array(made.reversed())
      #expect(try await page("") == (Array(newest[..<10]), "10"))
      #expect(try await page("pageSize=5&pageToken=5") == (Array(newest[5..<10]), "10"))
      #expect(try await page("pageSize=100") == (newest, nil))
      #expect(try await page("pageToken=12") == ([], nil))
      #expect(try await page("filter=name=\(made[3])") == ([made[3]], nil))
      #expect(try await page("filter=create_time%3Cdate(%222020-01-01T00:00:00Z%22)") == ([], nil))
    }
  }

  @Test(arguments: [
    ("pageSize=-1", "The page size must be between 0 and 100."),
    ("pageSize=101", "The page size must be between 0 and 100."),
    ("pageSize=x", "The page size must be between 0 and 100."),
    ("pageToken=-1", "Invalid page token."), ("pageToken=x", "Invalid page token."),
    (
      "filter=color=red",
      "The filter is not supported for this list; see the documentation of firebaserules.googleapis.com."
    ),
  ])
  func `a wrong page is refused`(query: String, message: String) async throws {
    try await RulesServer.run { routes, _ in
      for list in ["rulesets", "releases"] {
        let response = try await routes.call("GET /v1/projects/p/\(list)?\(query)")
        #expect(response.outcome == "400 INVALID_ARGUMENT \(message)", "\(list)")
      }
    }
  }

  static let wrongBodies: [(body: String, outcome: String)] = [
    ("", "400 INVALID_ARGUMENT The ruleset has no source."),
    ("[]", "400 INVALID_ARGUMENT ruleset must be an object."),
    (#"{"source":7}"#, "400 INVALID_ARGUMENT source must be an object."),
    (#"{"source":{}}"#, "400 INVALID_ARGUMENT A ruleset must have exactly one source file."),
    (#"{"source":{"files":{}}}"#, "400 INVALID_ARGUMENT source.files must be a list."),
    (#"{"source":{"files":[7]}}"#, "400 INVALID_ARGUMENT file must be an object."),
    (#"{"source":{"files":[{}]}}"#, "400 INVALID_ARGUMENT file.content must be a text."),
    (
      #"{"source":{"files":[{"content":7}]}}"#,
      "400 INVALID_ARGUMENT file.content must be a string."
    ),
    (
      #"{"source":{"files":[{"content":""},{"content":""}]}}"#,
      "400 INVALID_ARGUMENT A ruleset must have exactly one source file."
    ),
    (
      #"{"source":{"files":[]},"color":1}"#,
      "400 INVALID_ARGUMENT Invalid JSON payload received. Unknown name \"color\" at 'ruleset': "
        + "Cannot find field."
    ),
  ]

  @Test(arguments: wrongBodies)
  func `a wrong ruleset is refused and not kept`(body: String, outcome: String) async throws {
    try await RulesServer.run { routes, server in
      let response = try await routes.call("POST /v1/projects/p/rulesets", body: body)
      #expect(response.outcome == outcome)
      #expect(try server.rules.rulesets(of: "p").isEmpty)
    }
  }

  @Test func `what is no JSON, no UTF-8 or too long is refused`() async throws {
    try await RulesServer.run { routes, _ in
      let request = "POST /v1/projects/p/rulesets"
      let damaged = try await routes.call(request, body: "{")
      #expect(damaged.outcome.hasPrefix("400 INVALID_ARGUMENT Invalid JSON payload received. "))
      let bytes = try await routes.call(request, bytes: [0x22, 0xFF, 0x22])
      #expect(
        bytes.outcome
          == "400 INVALID_ARGUMENT Invalid JSON payload received. The text is not valid UTF-8."
      )
      let long = try await routes.call(
        request,
        bytes: [UInt8](repeating: UInt8(ascii: " "), count: 8 << 20 + 1)
      )
      #expect(long.status == 413)
    }
  }

  @Test func `rules that do not compile are refused with line and column`() async throws {
    try await RulesServer.run { routes, server in
      let broken = RulesText.firestore("match /a/{b} { allow read: if ; }")
      let response = try await routes.call(
        "POST /v1/projects/p/rulesets",
        body: RulesText.body(broken)
      )
      #expect(response.status == 400)
      #expect(response["error"]?["status"]?.string == "INVALID_ARGUMENT")
      #expect(response["error"]?["message"]?.string?.contains("4:") == true, "\(response.text)")
      #expect(try server.rules.rulesets(of: "p").isEmpty)
    }
  }

  @Test func `a ruleset in force is not deleted`() async throws {
    try await RulesServer.run { routes, _ in
      let id = try await routes.createRuleset(RulesText.open)
      #expect(try await routes.release(id).outcome == "200")
      let response = try await routes.call("DELETE /v1/projects/p/rulesets/\(id)")
      #expect(
        response.outcome
          == "400 FAILED_PRECONDITION The ruleset \(id) is in use by the release cloud.firestore."
      )
      #expect(try await routes.call("GET /v1/projects/p/rulesets/\(id)").outcome == "200")
    }
  }
}
