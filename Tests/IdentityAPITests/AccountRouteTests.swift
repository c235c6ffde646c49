import ServiceTestSupport
import Testing

@testable import IdentityAPI

/// The acts of users and administrators on accounts, over the routes.
@Suite struct AccountRouteTests {
  private static let denied = "400 INSUFFICIENT_PERMISSION : Insufficient permission."

  @Test func `a user signs up, reads and changes the account, refreshes and leaves`() async throws {
    try await IdentityServer.run { identity in
      // A project's first account makes sign-in by password known.
      let signedUp = try await identity.client(
        "signUp",
        #"{"email":"Ana@Example.com","password":"secret pass","returnSecureToken":true}"#
      )
      #expect(signedUp.outcome == "200", "\(signedUp.text)")
      let token = try #require(signedUp["idToken"]?.string)
      let uid = try #require(signedUp["localId"]?.string)
      #expect(try await identity.emails() == ["ana@example.com"])
      #expect(try await identity.emails(of: "q") == [])
      let own = try await identity.client("lookup", #"{"idToken":"\#(token)"}"#)
      #expect(own["users"]?.elements?.first?["localId"]?.string == uid)
      #expect(own["users"]?.elements?.first?["passwordHash"]?.string != signedUp.text)
      let named = try await identity.client(
        "update",
        #"{"idToken":"\#(token)","displayName":"Ana"}"#
      )
      #expect(named["displayName"]?.string == "Ana")
      let foreign = try await identity.client("lookup", #"{"idToken":"\#(token)"}"#, key: "q")
      #expect(foreign.status == 400)
      let refreshed = try await identity.routes.call(
        "POST /v1/token?key=p",
        as: .stranger,
        body: "grant_type=refresh_token&refresh_token="
          + (try #require(signedUp["refreshToken"]?.string)),
        headers: ["content-type": "application/x-www-form-urlencoded"]
      )
      #expect(refreshed["user_id"]?.string == uid)
      let newer = try #require(refreshed["id_token"]?.string)
      let deleted = try await identity.client("delete", #"{"idToken":"\#(newer)"}"#)
      #expect(deleted.outcome == "200")
      #expect(try await identity.emails() == [])
      let late = try await identity.client("lookup", #"{"idToken":"\#(newer)"}"#)
      #expect(late.outcome.hasPrefix("400 USER_NOT_FOUND"), "\(late.outcome)")
    }
  }

  @Test func `a password signs in and a wrong one does not`() async throws {
    try await IdentityServer.run { identity in
      let uid = try await identity.create()
      let right = try await identity.client(
        "signInWithPassword",
        #"{"email":"ana@example.com","password":"secret pass"}"#
      )
      #expect(right["localId"]?.string == uid)
      #expect(right["registered"]?.boolean == true)
      for body in [
        #"{"email":"ana@example.com","password":"wrong"}"#,
        #"{"email":"eve@example.com","password":"secret pass"}"#,
      ] {
        let wrong = try await identity.client("signInWithPassword", body)
        #expect(wrong.outcome.hasPrefix("400 INVALID_LOGIN_CREDENTIALS"), "\(wrong.outcome)")
      }
      let elsewhere = try await identity.client(
        "signInWithPassword",
        #"{"email":"ana@example.com","password":"secret pass"}"#,
        key: "q"
      )
      #expect(elsewhere.status == 400)
    }
  }

  @Test func `a client does nothing that administrators do`() async throws {
    try await IdentityServer.run { identity in
      let uid = try await identity.create()
      let calls: [(name: String, body: String, outcome: String)] = [
        ("lookup", #"{"localId":["\#(uid)"]}"#, Self.denied),
        ("lookup", #"{"email":["ana@example.com"]}"#, Self.denied),
        ("update", #"{"localId":"\#(uid)","disableUser":true}"#, Self.denied),
        ("delete", #"{"localId":"\#(uid)"}"#, Self.denied),
        (
          "signUp", #"{"localId":"mine","email":"eve@example.com","password":"secret pass"}"#,
          "400 UNEXPECTED_PARAMETER : User ID"
        ),
        (
          "signUp", #"{"email":"eve@example.com","password":"secret pass","emailVerified":true}"#,
          "400 UNEXPECTED_PARAMETER : emailVerified"
        ),
      ]
      for (name, body, outcome) in calls {
        for caller in [TestCaller.stranger, .user(), .administrator(.owner, of: "q")] {
          let response = try await identity.client(name, body, as: caller)
          #expect(response.outcome == outcome, "\(name), \(caller)")
        }
      }
      let signedIn = try await identity.client(
        "signInWithPassword",
        #"{"email":"ana@example.com","password":"secret pass"}"#
      )
      let token = try #require(signedIn["idToken"]?.string)
      for member in [
        #""emailVerified":true"#, #""customAttributes":"{}""#, #""validSince":1"#,
        #""phoneNumber":"+5511999999999""#, #""disableUser":false"#, #""localId":"other""#,
      ] {
        let response = try await identity.client(
          "update",
          #"{"idToken":"\#(token)",\#(member)}"#
        )
        #expect(response.outcome == Self.denied, "\(member)")
      }
      #expect(try await identity.emails() == ["ana@example.com"])
    }
  }

  @Test func `an administrator makes, reads, changes and deletes accounts`() async throws {
    try await IdentityServer.run { identity in
      let uid = try await identity.create()
      let again = try await identity.administer(
        "",
        #"{"email":"ana@example.com","password":"secret pass"}"#
      )
      #expect(again.outcome.hasPrefix("400 EMAIL_EXISTS"))
      let changed = try await identity.administer(
        ":update",
        #"{"localId":"\#(uid)","displayName":"Ana","customAttributes":"{\"role\":\"cook\"}"}"#
      )
      #expect(changed.outcome == "200", "\(changed.text)")
      let found = try await identity.administer(":lookup", #"{"email":["ana@example.com"]}"#)
      let user = found["users"]?.elements?.first
      #expect(user?["displayName"]?.string == "Ana")
      #expect(user?["customAttributes"]?.string == #"{"role":"cook"}"#)
      let counted = try await identity.administer(":query", #"{"returnUserInfo":false}"#)
      #expect(counted["recordsCount"]?.string == "1")
      let other = try await identity.routes.call(
        "POST /v1/projects/q/accounts:delete",
        body: #"{"localId":"\#(uid)"}"#
      )
      #expect(other.outcome.hasPrefix("400 USER_NOT_FOUND"))
      #expect(try await identity.administer(":delete", #"{"localId":"\#(uid)"}"#).status == 200)
      #expect(try await identity.emails() == [])
    }
  }

  @Test func `hashes of passwords are for keys of the server, not for people`() async throws {
    try await IdentityServer.run { identity in
      _ = try await identity.create()
      func hash(_ caller: TestCaller) async throws -> String? {
        let listed = try await identity.routes.call(
          "GET /v1/projects/p/accounts:batchGet",
          as: caller
        )
        #expect(listed["users"]?.elements?.count == 1)
        return listed["users"]?.elements?.first?["passwordHash"]?.string
      }
      let kept = try await hash(.key)
      for caller in [TestCaller.administrator(.viewer), .administrator(.owner)] {
        #expect(try await hash(caller) != kept)
      }
    }
  }

  @Test func `accounts are imported and deleted in batches, and listed in pages`() async throws {
    try await IdentityServer.run { identity in
      let users = (1...3).map { #"{"localId":"u\#($0)","email":"u\#($0)@example.com"}"# }
      let imported = try await identity.administer(
        ":batchCreate",
        #"{"users":[\#(users.joined(separator: ",")),{"email":"nobody@example.com"}]}"#
      )
      #expect(imported["error"]?.elements?.count == 1)
      #expect(imported["error"]?.elements?.first?["index"]?.integer == 3)
      #expect(try await identity.emails().count == 3)
      let first = try await identity.routes.call(
        "GET /v1/projects/p/accounts:batchGet?maxResults=2"
      )
      #expect(first["users"]?.elements?.count == 2)
      let next = try #require(first["nextPageToken"]?.string)
      let rest = try await identity.routes.call(
        "GET /v1/projects/p/accounts:batchGet?maxResults=2&nextPageToken=\(next)"
      )
      #expect(rest["users"]?.elements?.count == 1)
      for size in ["0", "1001", "x"] {
        let wrong = try await identity.routes.call(
          "GET /v1/projects/p/accounts:batchGet?maxResults=\(size)"
        )
        #expect(
          wrong.outcome
            == #"400 INVALID_ARGUMENT Invalid value at 'maxResults' (TYPE_INT32), "\#(size)""#
        )
      }
      let actor = TestCaller.administrator(.editor, of: "p")
      let deleted = try await identity.administer(
        ":batchDelete",
        #"{"localIds":["u1","u2"],"force":true}"#,
        as: actor
      )
      #expect(deleted.outcome == "200")
      #expect(deleted.actor?.subjects.names == ["delete u1", "delete u2"])
      #expect(try await identity.emails() == ["u3@example.com"])
    }
  }

  @Test func `a link in an email changes a password once`() async throws {
    try await IdentityServer.run { identity in
      _ = try await identity.create()
      let sent = try await identity.administer(
        ":sendOobCode",
        #"{"requestType":"PASSWORD_RESET","email":"ana@example.com","returnOobLink":true}"#
      )
      let code = try #require(sent["oobCode"]?.string)
      #expect(identity.post.all.isEmpty)
      let body = #"{"oobCode":"\#(code)","newPassword":"another pass"}"#
      #expect(try await identity.client("resetPassword", body, key: "q").status == 400)
      let reset = try await identity.client("resetPassword", body)
      #expect(reset["email"]?.string == "ana@example.com")
      let again = try await identity.client("resetPassword", body)
      #expect(again.outcome.hasPrefix("400 INVALID_OOB_CODE"), "\(again.outcome)")
      let signedIn = try await identity.client(
        "signInWithPassword",
        #"{"email":"ana@example.com","password":"another pass"}"#
      )
      #expect(signedIn.outcome == "200")
    }
  }

  static let wrongBodies: [(body: String, outcome: String)] = [
    ("{", "400 INVALID_ARGUMENT Invalid JSON payload received. "),
    ("[]", "400 INVALID_ARGUMENT Invalid JSON payload received. Expected an object."),
    (
      #"{"color":1}"#,
      "400 INVALID_ARGUMENT Invalid JSON payload received. Unknown name \"color\": Cannot find field."
    ),
    (#"{"email":7}"#, "400 INVALID_ARGUMENT Invalid value at 'email' (TYPE_STRING), 7"),
    (
      #"{"returnSecureToken":"yes"}"#,
      #"400 INVALID_ARGUMENT Invalid value at 'returnSecureToken' (TYPE_BOOL), "yes""#
    ),
    (#"{"email":"nonsense","password":"secret pass"}"#, "400 INVALID_EMAIL"),
    (#"{"email":"eve@example.com","password":"short"}"#, "400 WEAK_PASSWORD"),
    (#"{"tenantId":"t"}"#, "400 "),
  ]

  @Test(arguments: wrongBodies)
  func `a wrong sign-up is refused and makes nobody`(
    body: String,
    outcome: String
  ) async throws {
    try await IdentityServer.run { identity in
      _ = try await identity.create()
      let response = try await identity.client("signUp", body)
      #expect(response.outcome.hasPrefix(outcome), "\(response.outcome)")
      #expect(try await identity.emails() == ["ana@example.com"])
    }
  }

  @Test func `a client's body is shorter than an administrator's`() async throws {
    try await IdentityServer.run { identity in
      let body = #"{"email":"\#(String(repeating: "a", count: 256 << 10))"}"#
      let client = try await identity.client("signUp", body)
      #expect(client.outcome == "413 Request payload is too large.")
      let administrator = try await identity.administer("", body)
      #expect(administrator.status == 400)
    }
  }
}
