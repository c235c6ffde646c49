import Access
import BaseText
import FirestoreModel
import ServiceTestSupport
import Testing

/// Releases: which rules are in force, and for what.
@Suite struct ReleaseRouteTests {
  private static let firestore = RulesTarget.firestore(DatabaseID(project: "p"))

  @Test func `a release is made, read, listed and deleted`() async throws {
    try await RulesServer.run { routes, server in
      let id = try await routes.createRuleset(RulesText.open)
      let body =
        #"{"name":"projects/p/releases/cloud.firestore","rulesetName":"projects/p/rulesets/\#(id)"}"#
      let made = try await routes.call("POST /v1/projects/p/releases", body: body)
      #expect(made.outcome == "200")
      #expect(made["name"]?.string == "projects/p/releases/cloud.firestore")
      #expect(made["rulesetName"]?.string == "projects/p/rulesets/\(id)")
      #expect(server.rules.current(Self.firestore)?.id == Text(id))
      let read = try await routes.call("GET /v1/projects/p/releases/cloud.firestore")
      #expect(read.json == made.json)
      let listed = try await routes.call("GET /v1/projects/p/releases")
      #expect(listed["releases"]?.elements == [made.json])
      let again = try await routes.call("POST /v1/projects/p/releases", body: body)
      #expect(again.outcome == "409 ALREADY_EXISTS Release cloud.firestore already exists.")
      let deleted = try await routes.call("DELETE /v1/projects/p/releases/cloud.firestore")
      #expect(deleted.text == "{}")
      #expect(server.rules.current(Self.firestore) == nil)
      let gone = try await routes.call("GET /v1/projects/p/releases/cloud.firestore")
      #expect(gone.outcome == "404 NOT_FOUND Release cloud.firestore does not exist.")
    }
  }

  @Test func `an update puts another ruleset in force, also under a name with a slash`()
    async throws
  {
    try await RulesServer.run { routes, server in
      let open = try await routes.createRuleset(RulesText.open)
      let shut = try await routes.createRuleset(RulesText.shut)
      for id in [open, shut] {
        let response = try await routes.release(id)
        #expect(response["rulesetName"]?.string == "projects/p/rulesets/\(id)")
        #expect(server.rules.current(Self.firestore)?.id == Text(id))
      }
      #expect(try await routes.release(open, to: "cloud.firestore/orders").outcome == "200")
      let orders = RulesTarget.firestore(DatabaseID(project: "p", database: "orders"))
      #expect(server.rules.current(orders)?.id == Text(open))
      let files = try await routes.createRuleset(RulesText.storage)
      #expect(try await routes.release(files, to: "firebase.storage/photos").outcome == "200")
      let listed = try await routes.call("GET /v1/projects/p/releases?pageSize=2")
      #expect(listed["releases"]?.elements?.count == 2)
      #expect(listed["nextPageToken"]?.string == "2")
      let some = try await routes.call("GET /v1/projects/p/releases?filter=name=firebase*")
      #expect(
        some["releases"]?.elements?.map { $0["name"]?.string }
          == ["projects/p/releases/firebase.storage/photos"]
      )
      let bound = try await routes.call("GET /v1/projects/p/releases?filter=ruleset_name=\(shut)")
      #expect(
        bound["releases"]?.elements?.map { $0["name"]?.string }
          == ["projects/p/releases/cloud.firestore"]
      )
    }
  }

  @Test func `rules of another service are put in force nowhere`() async throws {
    try await RulesServer.run { routes, server in
      let files = try await routes.createRuleset(RulesText.storage)
      let documents = try await routes.createRuleset(RulesText.open)
      let wrong = try await routes.release(files)
      #expect(
        wrong.outcome
          == "400 INVALID_ARGUMENT The ruleset has no rules for service cloud.firestore."
      )
      let other = try await routes.release(documents, to: "firebase.storage/photos")
      #expect(
        other.outcome
          == "400 INVALID_ARGUMENT The ruleset has no rules for service firebase.storage."
      )
      #expect(server.rules.isEmpty)
    }
  }

  static let wrongBodies: [(body: String, outcome: String)] = [
    ("", "400 INVALID_ARGUMENT release.rulesetName must name a ruleset."),
    ("7", "400 INVALID_ARGUMENT updateReleaseRequest must be an object."),
    (#"{"release":7}"#, "400 INVALID_ARGUMENT release must be an object."),
    (
      #"{"release":{"rulesetName":7}}"#,
      "400 INVALID_ARGUMENT release.rulesetName must be a string."
    ),
    (
      #"{"release":{"rulesetName":"abc"}}"#,
      "400 INVALID_ARGUMENT \"abc\" must have the form projects/p/rulesets/…."
    ),
    (
      #"{"release":{"rulesetName":"projects/p/rulesets/"}}"#,
      "400 INVALID_ARGUMENT \"projects/p/rulesets/\" must have the form projects/p/rulesets/…."
    ),
    (
      #"{"release":{"rulesetName":"projects/p/rulesets/a","name":"projects/p/releases/b"}}"#,
      "400 INVALID_ARGUMENT The release's name does not match the path."
    ),
    (
      #"{"rulesetName":"projects/p/rulesets/a"}"#,
      "400 INVALID_ARGUMENT Invalid JSON payload received. Unknown name \"rulesetName\" at "
        + "'updateReleaseRequest': Cannot find field."
    ),
  ]

  @Test(arguments: wrongBodies)
  func `a wrong update is refused`(body: String, outcome: String) async throws {
    try await RulesServer.run { routes, server in
      let response = try await routes.call(
        "PATCH /v1/projects/p/releases/cloud.firestore",
        body: body
      )
      #expect(response.outcome == outcome)
      #expect(server.rules.isEmpty)
    }
  }

  @Test func `a release without a name or of a name without meaning is refused`() async throws {
    try await RulesServer.run { routes, server in
      let id = try await routes.createRuleset(RulesText.open)
      let nameless = try await routes.call(
        "POST /v1/projects/p/releases",
        body: #"{"rulesetName":"projects/p/rulesets/\#(id)"}"#
      )
      #expect(nameless.outcome == "400 INVALID_ARGUMENT The release has no name.")
      for name in ["cloud.datastore", "firebase.storage", "cloud.firestore/a/b"] {
        let response = try await routes.release(id, to: name)
        #expect(
          response.outcome
            == "400 INVALID_ARGUMENT The release \(name) must be cloud.firestore, "
            + "cloud.firestore/{database} or firebase.storage/{bucket}."
        )
      }
      #expect(server.rules.isEmpty)
    }
  }

  @Test func `a compiled form is not to be had`() async throws {
    try await RulesServer.run { routes, _ in
      let response = try await routes.call(
        "GET /v1/projects/p/releases/cloud.firestore:getExecutable"
      )
      #expect(
        response.outcome
          == "501 UNIMPLEMENTED Rules have no executable form here. "
          + "GET the release's ruleset for their source."
      )
    }
  }
}
