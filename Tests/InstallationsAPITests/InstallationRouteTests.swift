import BaseText
import Installations
import InstallationsAPI
import ServiceModule
import ServiceTestSupport
import Synchronization
import Testing

/// Installations of apps: making them known, new tokens, and their end.
@Suite struct InstallationRouteTests {
  private static let root = "/v1/projects/p/installations"
  private static let body = #"{"appId":"1:42:ios:ab"}"#
  private static let tokens = InstallationTokens(secret: [UInt8](repeating: 7, count: 32))

  /// Keeps the installations that the service tells of.
  private final class Observer: InstallationObserver {
    private let notes = Mutex<[String]>([])

    var all: [String] { notes.withLock { $0 } }

    func wasShown(_ installation: InstallationTokens.Installation) async throws {
      notes.withLock { $0.append("shown \(installation.id)") }
    }

    func wasDeleted(_ installation: InstallationTokens.Installation) async throws {
      notes.withLock { $0.append("deleted \(installation.id)") }
    }
  }

  private static func run(
    perNetwork: Int? = nil,
    observer: Observer? = nil,
    test: (TestRoutes, TestServer) async throws -> Void
  ) async throws {
    try await TestServer.run { server in
      .installations(
        tokens,
        keys: ProjectKeys(defaultProject: nil, takesAnyKey: false) { ["p", "q"].contains($0) },
        threads: server.threads,
        perNetwork: perNetwork,
        observer: observer,
        clock: server.clock
      )
    } test: { routes, server in
      try await test(routes, server)
    }
  }

  /// The header with an installation's refresh token.
  private static func refresh(_ token: String) -> TestCaller {
    TestCaller("installation", authorization: "FIS_v2 \(token)")
  }

  @Test func `every route is named here`() async throws {
    let pattern = "/v1/projects/{project}/installations"
    try await Self.run { routes, _ in
      #expect(
        routes.names == [
          "POST \(pattern)", "POST \(pattern)/", "DELETE \(pattern)/{id}",
          "DELETE \(pattern)/{id}/", "POST \(pattern)/{id}/authTokens:generate",
        ]
      )
    }
  }

  @Test(arguments: ["", "/"])
  func `an installation is made known, gets tokens and ends`(end: String) async throws {
    let observer = Observer()
    try await Self.run(observer: observer) { routes, server in
      let made = try await routes.call(
        "POST \(Self.root)\(end)?key=p",
        as: .stranger,
        body: Self.body
      )
      let id = try #require(made["fid"]?.string)
      #expect(InstallationTokens.isID(id))
      #expect(made["name"]?.string == "projects/p/installations/\(id)")
      #expect(made["authToken"]?["expiresIn"]?.string == "604800s")
      let token = try #require(made["authToken"]?["token"]?.string)
      let now = server.clock.now() / 1_000_000
      let expected = InstallationTokens.Installation(project: "p", id: id, appID: "1:42:ios:ab")
      #expect(Self.tokens.installation(ofAuthToken: token, now: now) == expected)
      let proof = Self.refresh(try #require(made["refreshToken"]?.string))
      let again = try await routes.call(
        "POST \(Self.root)/\(id)/authTokens:generate?key=p",
        as: proof,
        body: "{}"
      )
      let newer = try #require(again["token"]?.string)
      #expect(Self.tokens.installation(ofAuthToken: newer, now: now) == expected)
      let deleted = try await routes.call("DELETE \(Self.root)/\(id)\(end)?key=p", as: proof)
      #expect(deleted.text == "{}")
      #expect(observer.all == ["shown \(id)", "deleted \(id)"])
    }
  }

  @Test func `an id is kept for its proof alone`() async throws {
    try await Self.run { routes, _ in
      let made = try await routes.call("POST \(Self.root)?key=p", as: .stranger, body: Self.body)
      let id = try #require(made["fid"]?.string)
      let proof = Self.refresh(try #require(made["refreshToken"]?.string))
      let named = #"{"appId":"1:42:ios:ab","fid":"\#(id)"}"#
      let own = try await routes.call("POST \(Self.root)?key=p", as: proof, body: named)
      #expect(own["fid"]?.string == id)
      for caller in [TestCaller.stranger, .key, Self.refresh("a.b"), Self.refresh("")] {
        let other = try await routes.call("POST \(Self.root)?key=p", as: caller, body: named)
        #expect(other["fid"]?.string != id)
        #expect(other.outcome == "200")
      }
      let secret = Base64.url([UInt8](repeating: 9, count: 32))
      let mine = try #require(InstallationTokens.id(provedBy: secret))
      let proved = try await routes.call(
        "POST \(Self.root)?key=p",
        as: .stranger,
        body: #"{"appId":"a","fid":"\#(mine)","fidSecret":"\#(secret)"}"#
      )
      #expect(proved["fid"]?.string == mine)
    }
  }

  @Test func `a token of another installation, project or app is refused`() async throws {
    let observer = Observer()
    try await Self.run(observer: observer) { routes, _ in
      func make(_ project: String) async throws -> (id: String, token: String) {
        let made = try await routes.call(
          "POST /v1/projects/\(project)/installations?key=\(project)",
          as: .stranger,
          body: Self.body
        )
        return (
          try #require(made["fid"]?.string), try #require(made["refreshToken"]?.string)
        )
      }
      let (own, other, foreign) = (try await make("p"), try await make("p"), try await make("q"))
      let callers = [
        TestCaller.stranger, .key, .user(), Self.refresh(other.token), Self.refresh(foreign.token),
        Self.refresh("x.\(own.token.split(separator: ".")[1])"), Self.refresh("x"),
        TestCaller("as a bearer", authorization: "Bearer \(own.token)"),
      ]
      for caller in callers {
        for request in [
          "POST \(Self.root)/\(own.id)/authTokens:generate?key=p",
          "DELETE \(Self.root)/\(own.id)?key=p",
        ] {
          let response = try await routes.call(request, as: caller)
          #expect(
            response.outcome
              == "401 UNAUTHENTICATED The refresh token belongs to another installation."
          )
        }
      }
      #expect(observer.all == [])
    }
  }

  static let keys: [(query: String, outcome: String)] = [
    ("", "403 PERMISSION_DENIED The request is missing a valid API key."),
    ("?key=", "403 PERMISSION_DENIED The request is missing a valid API key."),
    ("?key=x", "400 INVALID_ARGUMENT API key not valid. Please pass a valid API key."),
    ("?key=q", "403 PERMISSION_DENIED The API key does not belong to the project p."),
  ]

  @Test(arguments: keys)
  func `a request without the project's key is refused`(
    query: String,
    outcome: String
  ) async throws {
    try await Self.run { routes, _ in
      for request in [
        "POST \(Self.root)", "POST \(Self.root)/a/authTokens:generate", "DELETE \(Self.root)/a",
      ] {
        let response = try await routes.call(request + query, as: .key, body: Self.body)
        #expect(response.outcome == outcome, "\(request)")
      }
    }
  }

  @Test(arguments: [
    ("", "The installation has no app ID."), ("[]", "The installation has no app ID."),
    ("{}", "The installation has no app ID."), (#"{"appId":7}"#, "The installation has no app ID."),
    (#"{"appId":""}"#, "The installation has no app ID."),
    (#"{"appId":"\#(String(repeating: "a", count: 257))"}"#, "The installation has no app ID."),
  ])
  func `a wrong body is refused`(body: String, message: String) async throws {
    try await Self.run { routes, _ in
      let response = try await routes.call("POST \(Self.root)?key=p", as: .stranger, body: body)
      #expect(response.outcome == "400 INVALID_ARGUMENT \(message)")
    }
  }

  @Test func `what is no JSON, no UTF-8 or too long is refused`() async throws {
    try await Self.run { routes, _ in
      let request = "POST \(Self.root)?key=p"
      let text = try await routes.call(request, as: .stranger, body: "{")
      #expect(text.outcome.hasPrefix("400 INVALID_ARGUMENT "))
      let bytes = try await routes.call(request, as: .stranger, bytes: [0xFF])
      #expect(bytes.outcome == "400 INVALID_ARGUMENT The body is not valid UTF-8.")
      let long = try await routes.call(
        request,
        as: .stranger,
        body: String(repeating: " ", count: 16 << 10 + 1)
      )
      #expect(long.status == 413)
    }
  }

  @Test func `a network makes so many installations an hour`() async throws {
    try await Self.run(perNetwork: 1) { routes, server in
      let request = "POST \(Self.root)?key=p"
      let first = try await routes.call(request, as: .stranger, body: Self.body)
      let second = try await routes.call(request, as: .stranger, body: Self.body)
      #expect(
        second.outcome
          == "429 RESOURCE_EXHAUSTED Too many installations were created. Try again later."
      )
      // One that is known already counts no more.
      let id = try #require(first["fid"]?.string)
      let known = try await routes.call(
        request,
        as: Self.refresh(try #require(first["refreshToken"]?.string)),
        body: #"{"appId":"1:42:ios:ab","fid":"\#(id)"}"#
      )
      #expect(known["fid"]?.string == id)
      server.advance(seconds: 3_600)
      let later = try await routes.call(request, as: .stranger, body: Self.body)
      #expect(later.outcome == "200")
    }
  }
}
