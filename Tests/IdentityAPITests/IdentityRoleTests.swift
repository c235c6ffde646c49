import HTTPTypes
import ServiceModule
import ServiceTestSupport
import Testing

@testable import IdentityAPI

/// The callers of each operation of administrators and of clients.
@Suite struct IdentityRoleTests {
  private static let users = "/v1/projects/{project}/accounts"
  private static let settings = "/v2/projects/{project}"
  private static let noUser = "400 USER_NOT_FOUND"

  /// An operation of administrators by its name.
  struct Operation: Sendable, CustomStringConvertible {
    let name: String
    let call: RouteCase

    init(_ name: String, _ call: RouteCase) {
      self.name = name
      self.call = call
    }

    var description: String { name }
  }

  private static func operation(
    _ name: String,
    _ body: String,
    takes call: (String, String, String) -> RouteCase
  ) -> Operation {
    Operation(name, call("POST \(users):{verb}", "/v1/projects/p/accounts:\(name)", body))
  }

  static let operations: [Operation] = [
    Operation("create", RouteCase("POST \(users)", "/v1/projects/p/accounts", body: "{}")),
    operation("lookup", #"{"localId":["x"]}"#) { RouteCase($0, $1, body: $2, takes: .viewer) },
    operation("query", "{}") { RouteCase($0, $1, body: $2, takes: .viewer) },
    operation("update", #"{"localId":"x"}"#) { RouteCase($0, $1, body: $2, noUser) },
    operation("delete", #"{"localId":"x"}"#) {
      RouteCase($0, $1, body: $2, recent: true, noUser)
    },
    operation("batchDelete", #"{"localIds":["x"]}"#) { RouteCase($0, $1, body: $2, recent: true) },
    operation("batchCreate", #"{"users":[{"localId":"x"}]}"#) { RouteCase($0, $1, body: $2) },
    operation("sendOobCode", "{}") { RouteCase($0, $1, body: $2, "400 ") },
    Operation(
      "batchGet",
      RouteCase("GET \(users):{verb}", "/v1/projects/p/accounts:batchGet", takes: .viewer)
    ),
    Operation(
      "createSessionCookie",
      RouteCase(
        "POST /v1/projects/{project}:createSessionCookie",
        "/v1/projects/p:createSessionCookie",
        body: "{}",
        "400 MISSING_ID_TOKEN"
      )
    ),
  ]

  /// Resources beside the users.
  static let resources: [Operation] = [
    Operation(
      "signBlob",
      RouteCase(
        "POST /v1/projects/{project}/serviceAccounts/{account}:signBlob",
        "/v1/projects/-/serviceAccounts/x@p.iam.brasa:signBlob",
        body: "{}",
        takes: .owner,
        ofServer: true,
        recent: true,
        "400 INVALID_ARGUMENT Invalid value at 'payload'"
      )
    ),
    Operation("read config", RouteCase("GET \(settings)/config", "/v2/projects/p/config")),
    Operation(
      "change config",
      RouteCase(
        "PATCH \(settings)/config",
        "/v2/projects/p/config",
        body: "{}",
        takes: .owner,
        recent: true
      )
    ),
  ]

  @Test func `every operation is named here`() {
    #expect(Set(Self.operations.map(\.name)) == Set(AdminOperations.all.keys))
    #expect(Set(Self.calls.map(\.name)) == Set(ClientOperations.all.keys))
  }

  @Test(arguments: operations + resources)
  func `a caller without the rights is refused, and nobody else`(
    _ operation: Operation
  ) async throws {
    let route = operation.call
    try await IdentityServer.run { identity in
      let nobody = try await identity.routes.call(route.request, as: .stranger, body: route.body)
      #expect(
        nobody.outcome
          == "401 UNAUTHENTICATED Request is missing required authentication credential. Expected "
          + "OAuth 2 access token, login cookie or other valid authentication credential."
      )
      for (caller, outcome) in route.refusals.dropFirst() {
        let response = try await identity.routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome == outcome, "\(caller)")
      }
      #expect(try await identity.emails() == [])
      for caller in route.allowed {
        let response = try await identity.routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome.hasPrefix(route.outcome), "\(caller): \(response.outcome)")
      }
    }
  }

  @Test(arguments: operations)
  func `an operation has its own method alone`(_ operation: Operation) async throws {
    try await IdentityServer.run { identity in
      let path = operation.call.target
      let method = operation.call.request.hasPrefix("GET") ? "POST" : "GET"
      let response = try await identity.routes.call("\(method) \(path)")
      #expect(response.outcome == "404 NOT_FOUND Not Found")
    }
  }

  /// An operation of clients, and its outcome for a body without what it takes.
  struct Call: Sendable, CustomStringConvertible {
    let name: String
    let request: String
    let body: String
    let outcome: String

    init(_ name: String, _ outcome: String, body: String = "{}", request: String? = nil) {
      self.name = name
      self.outcome = outcome
      self.body = body
      self.request = request ?? "POST /v1/accounts:\(name)"
    }

    var description: String { name }
  }

  private static let unsupported = "400 OPERATION_NOT_ALLOWED : "
  private static let forbidden = "400 INSUFFICIENT_PERMISSION : Insufficient permission."

  static let calls: [Call] = [
    Call("signUp", "400 MISSING_PASSWORD", body: #"{"email":"ana@example.com"}"#),
    Call("signInWithPassword", "400 MISSING_EMAIL"),
    Call("signInWithCustomToken", "400 MISSING_CUSTOM_TOKEN"),
    Call("signInWithEmailLink", "400 MISSING_OOB_CODE", body: #"{"email":"ana@example.com"}"#),
    Call("signInWithIdp", "400 "), Call("sendOobCode", "400 "), Call("resetPassword", "400 "),
    Call("lookup", "400 MISSING_ID_TOKEN"), Call("update", "400 MISSING_ID_TOKEN"),
    Call("delete", "400 MISSING_ID_TOKEN"), Call("createAuthUri", "400 "),
    Call("projects", "200", body: "", request: "GET /v1/projects"),
    Call("recaptchaParams", "200", body: "", request: "GET /v1/recaptchaParams"),
    Call("recaptchaConfig", "200", body: "", request: "GET /v2/recaptchaConfig"),
    Call("passwordPolicy", "200", body: "", request: "GET /v2/passwordPolicy"),
    Call("mfaEnrollment:start", "400 ", request: "POST /v2/accounts/mfaEnrollment:start"),
    Call("mfaEnrollment:finalize", "400 ", request: "POST /v2/accounts/mfaEnrollment:finalize"),
    Call("mfaEnrollment:withdraw", "400 ", request: "POST /v2/accounts/mfaEnrollment:withdraw"),
    Call(
      "mfaSignIn:start",
      unsupported + "SMS based MFA not enabled.",
      request: "POST /v2/accounts/mfaSignIn:start"
    ),
    Call("mfaSignIn:finalize", "400 ", request: "POST /v2/accounts/mfaSignIn:finalize"),
    Call(
      "downloadAccount",
      forbidden,
      request: "POST /identitytoolkit/v3/relyingparty/downloadAccount"
    ),
    Call(
      "uploadAccount",
      forbidden,
      request: "POST /identitytoolkit/v3/relyingparty/uploadAccount"
    ),
    Call("signInWithPhoneNumber", unsupported + "Sign-in by telephone number"),
    Call("sendVerificationCode", unsupported + "Sign-in by telephone number"),
    Call("signInWithGameCenter", unsupported + "Sign-in by Game Center"),
    Call("issueSamlResponse", unsupported + "SAML"),
    Call("verifyIosClient", unsupported + "Sign-in by telephone number"),
    Call(
      "revokeToken",
      unsupported + "Revoking a provider's token",
      request: "POST /v2/accounts:revokeToken"
    ),
    Call("passkeyEnrollment:start", unsupported + "Enrolment of passkeys"),
    Call("passkeyEnrollment:finalize", unsupported + "Enrolment of passkeys"),
    Call("passkeySignIn:start", unsupported + "Sign-in by passkey"),
    Call("passkeySignIn:finalize", unsupported + "Sign-in by passkey"),
  ]

  @Test(arguments: calls)
  func `a client's call takes the key of a project`(_ call: Call) async throws {
    try await IdentityServer.run { identity in
      let cases: [(query: String, outcome: String)] = [
        ("", "403 PERMISSION_DENIED The request is missing a valid API key."),
        ("?key=", "403 PERMISSION_DENIED The request is missing a valid API key."),
        ("?key=x", "400 INVALID_ARGUMENT API key not valid. Please pass a valid API key."),
        ("?key=p", call.outcome),
      ]
      for (query, outcome) in cases {
        let response = try await identity.routes.call(
          call.request + query,
          as: .stranger,
          body: call.body
        )
        #expect(response.outcome.hasPrefix(outcome), "\(query): \(response.outcome)")
      }
      let forger = try await identity.routes.call(
        call.request + "?key=p",
        as: .forger,
        body: call.body
      )
      #expect(forger.outcome == "401 UNAUTHENTICATED Missing or invalid authentication.")
      #expect(try await identity.emails() == [])
    }
  }

  @Test func `a project's administrators name another project in no client's call`() async throws {
    try await IdentityServer.run { identity in
      for caller in [
        TestCaller.stranger, .user(), .administrator(.owner, of: "p"),
        .administrator(.owner, of: "q"),
      ] {
        let response = try await identity.client(
          "lookup",
          #"{"targetProjectId":"q","localId":["x"]}"#,
          as: caller
        )
        #expect(
          response.outcome
            == "400 INSUFFICIENT_PERMISSION : Only authenticated requests can specify "
            + "target_project_id."
        )
      }
      let key = try await identity.client(
        "lookup",
        #"{"targetProjectId":"q","localId":["x"]}"#,
        as: .key
      )
      #expect(key.outcome == "200")
    }
  }
}
