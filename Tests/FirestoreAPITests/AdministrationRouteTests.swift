import ServiceTestSupport
import Testing

/// Google's administration API of databases, indexes and fields, and the routes of the emulator.
@Suite struct AdministrationRouteTests {
  private static let database = FirestoreServer.database
  private static let pattern = "/v1/projects/{project}/databases"
  private static let backups = "/v1/projects/{project}/locations/{location}/backups"
  private static let group = "\(database)/collectionGroups/a"

  static let cases: [RouteCase] = [
    RouteCase("GET \(pattern)", "/v1/projects/p/databases", takes: .viewer),
    RouteCase("GET \(pattern)/{path=**}", database, takes: .viewer),
    RouteCase("GET \(pattern)/{path=**}", "\(group)/indexes", takes: .viewer),
    RouteCase("GET \(pattern)/{path=**}", "\(group)/fields", takes: .viewer),
    RouteCase("GET \(pattern)/{path=**}", "\(database)/operations", takes: .viewer),
    RouteCase(
      "GET \(pattern)/{path=**}",
      "\(group)/indexes/none",
      takes: .viewer,
      "404 NOT_FOUND"
    ),
    RouteCase(
      "DELETE \(pattern)/{path=**}",
      "\(group)/indexes/none",
      "404 NOT_FOUND"
    ),
    RouteCase(
      "DELETE \(pattern)/{path=**}",
      "/v1/projects/p/databases/none",
      takes: .owner,
      recent: true,
      "404 NOT_FOUND"
    ),
    RouteCase("POST \(pattern):{verb}", "/v1/projects/p/databases:clone", "400 INVALID_ARGUMENT"),
    RouteCase("POST \(pattern):{verb}", "/v1/projects/p/databases:restore", "400 INVALID_ARGUMENT"),
    RouteCase("GET \(pattern)/{path=**}", "\(database)/backupSchedules", takes: .viewer),
    RouteCase(
      "POST \(pattern)/{path=**}",
      "\(database)/backupSchedules",
      "400 FAILED_PRECONDITION"
    ),
    RouteCase(
      "DELETE \(pattern)/{path=**}",
      "\(database)/backupSchedules/none",
      takes: .owner,
      recent: true,
      "404 NOT_FOUND"
    ),
    RouteCase(
      "PATCH \(pattern)/{path=**}",
      "\(database)/backupSchedules/none",
      body: #"{"retention":"1s"}"#,
      takes: .owner,
      recent: true,
      "404 NOT_FOUND"
    ),
    RouteCase("GET \(backups)", "/v1/projects/p/locations/-/backups", takes: .viewer),
    RouteCase(
      "GET \(backups)/{backup}",
      "/v1/projects/p/locations/local/backups/none",
      takes: .viewer,
      "404 NOT_FOUND"
    ),
    RouteCase(
      "DELETE \(backups)/{backup}",
      "/v1/projects/p/locations/local/backups/none",
      takes: .owner,
      recent: true,
      "404 NOT_FOUND"
    ),
  ]

  @Test(arguments: cases)
  func `a caller without the rights is refused, and nobody else`(_ route: RouteCase) async throws {
    try await FirestoreServer.run { routes, _ in
      try await routes.put("a/b")
      for (caller, outcome) in route.refusals {
        let response = try await routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome == outcome, "\(caller) \(route.target)")
      }
      #expect(try await routes.number("a/b") == "1")
      for caller in route.allowed {
        let response = try await routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome.hasPrefix(route.outcome), "\(caller): \(response.outcome)")
      }
    }
  }

  @Test func `a database is made, listed and deleted by an owner`() async throws {
    try await FirestoreServer.run { routes, _ in
      let owner = TestCaller.administrator(.owner, of: "p")
      let index =
        #"{"queryScope":"COLLECTION","fields":[{"fieldPath":"a","order":"ASCENDING"},"#
        + #"{"fieldPath":"b","order":"ASCENDING"}]}"#
      for caller in [
        TestCaller.stranger, .user(), .administrator(.owner, of: "q"), .administrator(.viewer),
      ] {
        for (path, body) in [
          ("/v1/projects/p/databases?databaseId=orders", "{}"), ("\(Self.group)/indexes", index),
        ] {
          let refused = try await routes.call("POST \(path)", as: caller, body: body)
          #expect(refused.outcome.hasPrefix("403 PERMISSION_DENIED "), "\(caller)")
        }
      }
      let made = try await routes.call(
        "POST /v1/projects/p/databases?databaseId=orders",
        as: owner,
        body: "{}"
      )
      #expect(made.outcome == "200")
      func names() async throws -> [String] {
        let listed = try await routes.call("GET /v1/projects/p/databases", as: owner)
        return (listed["databases"]?.elements ?? []).compactMap { $0["name"]?.string }
      }
      #expect(try await names() == ["projects/p/databases/orders"])
      let foreign = try await routes.call("GET /v1/projects/q/databases")
      #expect(foreign["databases"]?.elements ?? [] == [])
      let again = try await routes.call(
        "POST /v1/projects/p/databases?databaseId=orders",
        as: owner,
        body: "{}"
      )
      #expect(again.outcome.hasPrefix("409 ALREADY_EXISTS "))
      let deleted = try await routes.call("DELETE /v1/projects/p/databases/orders", as: owner)
      #expect(deleted.outcome == "200")
      #expect(try await names() == [])
    }
  }

  // MARK: Development

  private static let emulator = "/emulator/v1/projects/p/databases/(default)/documents"

  @Test func `the emulator's routes clear a database, a tree and everything`() async throws {
    try await FirestoreServer.runEmulator { routes in
      let documents = "/emulator/v1/projects/{project}/databases/{database}/documents"
      #expect(
        Set(routes.names.filter { !$0.contains(" /v1") }) == [
          "DELETE \(documents)", "DELETE \(documents)/{path=**}", "POST /reset",
        ]
      )
      func fill() async throws {
        for path in ["a/b", "a/b/c/d", "e/f"] { try await routes.put(path, as: .stranger) }
      }
      func left() async throws -> [String] {
        var left: [String] = []
        for path in ["a/b", "a/b/c/d", "e/f"] {
          if try await routes.number(path, as: .stranger) != nil { left.append(path) }
        }
        return left
      }
      let clearings: [(request: String, left: [String])] = [
        ("DELETE \(Self.emulator)/a/b/c", ["a/b", "e/f"]), ("DELETE \(Self.emulator)/a/b", ["e/f"]),
        ("DELETE \(Self.emulator)/a", ["e/f"]), ("DELETE \(Self.emulator)", []),
        ("DELETE \(Self.emulator)/", []), ("POST /reset", []),
      ]
      for (request, expected) in clearings {
        try await fill()
        let response = try await routes.call(request, as: .stranger)
        #expect(response.text == "{}")
        #expect(try await left() == expected, "\(request)")
      }
    }
  }

  @Test func `the emulator's routes refuse users and names that mean nothing`() async throws {
    try await FirestoreServer.runEmulator { routes in
      try await routes.put("a/b", as: .stranger)
      for request in ["DELETE \(Self.emulator)", "DELETE \(Self.emulator)/a", "POST /reset"] {
        let user = try await routes.call(request, as: .user())
        #expect(
          user.outcome == "403 PERMISSION_DENIED Missing or insufficient permissions.",
          "\(request)"
        )
      }
      for (path, part) in [("/a%2Fb", "a/b"), ("/a/%zz", "%zz")] {
        let response = try await routes.call("DELETE \(Self.emulator)\(path)", as: .stranger)
        #expect(
          response.outcome
            == #"400 INVALID_ARGUMENT The URL's path has a malformed part: "\#(part)"."#
        )
      }
      let reserved = try await routes.call("DELETE \(Self.emulator)/__a__", as: .stranger)
      #expect(reserved.outcome.hasPrefix("400 INVALID_ARGUMENT "))
      #expect(try await routes.number("a/b", as: .stranger) == "1")
    }
  }
}
