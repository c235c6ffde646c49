import Foundation
import Testing

@testable import Gateway

/// The account APIs over HTTP, in production's mode.
struct IdentityFeatureTests {
  private static let signUp = #"{"email":"ana@shop.example","password":"planted-password-1"}"#

  private func field(_ name: String, _ body: String) -> String? {
    body.firstRange(of: "\"\(name)\":\"").map { range in
      String(body[range.upperBound...].prefix { $0 != "\"" })
    }
  }

  @Test func `host-header poisoning: links begin with the configured origin`() async throws {
    try await IdentityFixture.with { fixture in
      _ = try await fixture.client("signUp", Self.signUp)
      let body = #"{"requestType":"PASSWORD_RESET","email":"ana@shop.example"}"#
      let forged = [
        ["Host": "evil.example"], ["Host": "evil.example", "X-Forwarded-Host": "evil.example"],
        ["Forwarded": "host=evil.example;proto=http", "Origin": "https://evil.example"],
      ]
      for headers in forged {
        let answer = try await fixture.client("sendOobCode", body, headers: headers)
        #expect(answer.status == 200, "\(answer.body)")
      }
      let absolute = "http://evil.example/v1/accounts:sendOobCode?key=\(IdentityFixture.project)"
      _ = try await fixture.call("POST", absolute, body, headers: ["Host": "evil.example"])
      #expect(fixture.post.all.count >= forged.count)
      for message in fixture.post.all {
        #expect(message.text.contains("\n\(IdentityFixture.origin)/__/auth/action?"))
        #expect(!message.text.contains("evil") && !message.html.contains("evil"))
      }
    }
  }

  @Test func `no secret is logged, whatever goes wrong`() async throws {
    try await IdentityFixture.with { fixture in
      let made = try await fixture.client("signUp", Self.signUp)
      let tokens = [field("idToken", made.body), field("refreshToken", made.body)].compactMap(
        \.self
      )
      #expect(tokens.count == 2)
      let idToken = tokens[0]
      let bearer = ["Authorization": "Bearer \(IdentityFixture.administrator)"]
      let calls: [(String, String, [String: String])] = [
        ("signInWithPassword", #"{"email":"ana@shop.example","password":"planted-wrong-2"}"#, [:]),
        ("signUp", #"{"email":"planted-password-1"}"#, [:]), ("signUp", #"{"password":7}"#, [:]),
        ("resetPassword", #"{"oobCode":"planted-code-3","newPassword":"planted-new-4"}"#, [:]),
        ("lookup", #"{"idToken":"\#(idToken)x"}"#, [:]), ("lookup", "{", bearer),
        ("update", #"{"idToken":"\#(idToken)","password":"planted-new-5"}"#, bearer),
        ("sendOobCode", #"{"requestType":"PASSWORD_RESET","email":"ana@shop.example"}"#, [:]),
        ("lookup", "{}", ["Authorization": "Bearer \(idToken)"]),
        (
          "signInWithIdp",
          #"{"requestUri":"http://x","postBody":"providerId=google.com&id_token=planted-6"}"#, [:]
        ),
      ]
      for (name, body, headers) in calls {
        _ = try await fixture.client(name, body, headers: headers)
      }
      _ = try await fixture.call("POST", "/token", #"{"assertion":"planted-assertion-7"}"#)
      let log = fixture.log.text
      #expect(log.contains("accounts:signInWithPassword"), "nothing was logged at all")
      let code = fixture.post.all.first.flatMap {
        $0.text.firstRange(of: "oobCode=").map { range in
          String(fixture.post.all[0].text[range.upperBound...].prefix { $0 != "&" })
        }
      }
      for secret in tokens + [code ?? "no email", IdentityFixture.administrator, "planted-"] {
        #expect(!log.contains(secret), "\(secret) is in the log")
      }
    }
  }

  static let refusals: [(String, String, Int, String)] = [
    ("signUp", #"{"email":"x"}"#, 400, "MISSING_PASSWORD"),
    ("signUp", #"{"email":"x","password":"long enough"}"#, 400, "INVALID_EMAIL"),
    ("signUp", #"{"password":"long enough"}"#, 400, "MISSING_EMAIL"),
    ("signUp", #"{"email":"a@b.example","password":"short"}"#, 400, "WEAK_PASSWORD : "),
    ("signUp", #"{"localId":"x"}"#, 400, "UNEXPECTED_PARAMETER : User ID"),
    ("signUp", "{}", 400, "ADMIN_ONLY_OPERATION"),
    ("signUp", #"{"colour":"red"}"#, 400, "Unknown name"),
    ("signUp", #"{"email":7}"#, 400, "Invalid value at 'email' (TYPE_STRING), 7"),
    ("signInWithPassword", "{}", 400, "MISSING_EMAIL"),
    ("signInWithPassword", #"{"email":"a@b.example"}"#, 400, "MISSING_PASSWORD"),
    ("signInWithCustomToken", "{}", 400, "MISSING_CUSTOM_TOKEN"),
    ("signInWithCustomToken", #"{"token":"{\"uid\":\"a\"}"}"#, 400, "INVALID_CUSTOM_TOKEN"),
    ("signInWithEmailLink", #"{"email":"a@b.example"}"#, 400, "MISSING_OOB_CODE"),
    ("signInWithEmailLink", #"{"email":"a@b.example","oobCode":"x"}"#, 400, "INVALID_OOB_CODE"),
    ("signInWithIdp", "{}", 400, "MISSING_REQUEST_URI"),
    ("signInWithIdp", #"{"requestUri":"x"}"#, 400, "INVALID_REQUEST_URI"),
    ("signInWithIdp", #"{"requestUri":"http://x"}"#, 400, "INVALID_CREDENTIAL_OR_PROVIDER_ID"),
    (
      "signInWithIdp", #"{"requestUri":"http://x","postBody":"providerId=saml.x&SAMLResponse=y"}"#,
      400, "OPERATION_NOT_ALLOWED : Sign-in by SAML"
    ), ("sendOobCode", "{}", 400, "MISSING_REQ_TYPE"),
    ("sendOobCode", #"{"requestType":"RECOVER_EMAIL"}"#, 400, "INVALID_REQ_TYPE"),
    ("sendOobCode", #"{"requestType":"PASSWORD_RESET"}"#, 400, "MISSING_EMAIL"),
    ("sendOobCode", #"{"requestType":"VERIFY_EMAIL"}"#, 400, "MISSING_ID_TOKEN"),
    (
      "sendOobCode", #"{"requestType":"VERIFY_AND_CHANGE_EMAIL","idToken":"x"}"#, 400,
      "MISSING_NEW_EMAIL"
    ),
    (
      "sendOobCode", #"{"requestType":"EMAIL_SIGNIN","email":"a@b.example"}"#, 400,
      "MISSING_CONTINUE_URI"
    ),
    (
      "sendOobCode",
      #"{"requestType":"EMAIL_SIGNIN","email":"a@b.example","continueUrl":"https://evil.example/"}"#,
      400, "UNAUTHORIZED_DOMAIN"
    ),
    (
      "sendOobCode",
      #"{"requestType":"PASSWORD_RESET","email":"a@b.example","returnOobLink":true}"#,
      400, "INSUFFICIENT_PERMISSION"
    ), ("resetPassword", "{}", 400, "MISSING_OOB_CODE"),
    ("resetPassword", #"{"oldPassword":"long enough"}"#, 400, "MISSING_EMAIL"),
    (
      "resetPassword", #"{"email":"a@b.example","oldPassword":"x","newPassword":"long enough"}"#,
      400,
      "INVALID_LOGIN_CREDENTIALS"
    ), ("lookup", "{}", 400, "MISSING_ID_TOKEN"),
    ("lookup", #"{"localId":["x"]}"#, 400, "INSUFFICIENT_PERMISSION"),
    ("lookup", #"{"initialEmail":["a@b.example"]}"#, 400, "INSUFFICIENT_PERMISSION"),
    ("update", #"{"localId":"x"}"#, 400, "INSUFFICIENT_PERMISSION"),
    ("update", #"{"oobCode":"x"}"#, 400, "INVALID_OOB_CODE"),
    ("delete", "{}", 400, "MISSING_ID_TOKEN"),
    ("createAuthUri", "{}", 400, "MISSING_CONTINUE_URI"),
    ("createAuthUri", #"{"continueUri":"x"}"#, 400, "INVALID_CONTINUE_URI"),
    ("createAuthUri", #"{"continueUri":"http://localhost"}"#, 400, "MISSING_IDENTIFIER"),
    (
      "createAuthUri", #"{"continueUri":"http://localhost","identifier":"x"}"#, 400,
      "INVALID_IDENTIFIER"
    ),
    (
      "createAuthUri", #"{"continueUri":"https://evil.example","providerId":"google.com"}"#, 400,
      "UNAUTHORIZED_DOMAIN"
    ), ("signInWithPhoneNumber", #"{"x":1}"#, 400, "OPERATION_NOT_ALLOWED"),
    ("signUp", #"{"tenantId":"t"}"#, 400, "UNSUPPORTED_TENANT_OPERATION"),
    ("signUp", #"{"targetProjectId":"other"}"#, 400, "INSUFFICIENT_PERMISSION"),
    ("downloadAccount", #"{"maxResults":10}"#, 400, "INSUFFICIENT_PERMISSION"),
    ("uploadAccount", #"{"users":[]}"#, 400, "INSUFFICIENT_PERMISSION"),
    ("dance", "{}", 404, "Not Found"), ("signUp", "{", 400, "Invalid JSON"),
    ("signUp", "[]", 400, "Expected an object"),
  ]

  @Test func `every refusal has the official code`() async throws {
    try await IdentityFixture.with { fixture in
      for (name, body, status, message) in Self.refusals {
        let answer = try await fixture.client(name, body)
        #expect(answer.status == status, "\(name) \(body): \(answer.body)")
        #expect(
          field("message", answer.body)?.hasPrefix(message) == true
            || answer.body.contains(message),
          "\(name) \(body): \(answer.body)"
        )
      }
    }
  }

  @Test func `old passwords change into new ones, and no second factor is passed by`() async throws
  {
    try await IdentityFixture.with { fixture in
      let made = try await fixture.client("signUp", Self.signUp)
      let change =
        #"{"email":"ANA@shop.example","oldPassword":"planted-password-1","newPassword":"another one 8"}"#
      #expect(try await fixture.client("resetPassword", change).status == 200)
      #expect(try await fixture.client("resetPassword", change).status == 400)
      let token = try #require(field("idToken", made.body))
      let looked = try await fixture.client("lookup", #"{"idToken":"\#(token)"}"#)
      #expect(looked.body.contains("TOKEN_EXPIRED"))
      let good = #"{"email":"ana@shop.example","password":"another one 8"}"#
      #expect(try await fixture.client("signInWithPassword", good).status == 200)
    }
  }

  @Test func `a first address is found by administrators, and the old names work`() async throws {
    try await IdentityFixture.with { fixture in
      let bearer = ["Authorization": "Bearer \(IdentityFixture.administrator)"]
      _ = try await fixture.client("signUp", Self.signUp)
      let path = "/v1/projects/\(IdentityFixture.project)/accounts"
      let found = try await fixture.call(
        "POST",
        "\(path):lookup",
        #"{"initialEmail":["ana@shop.example"]}"#,
        headers: bearer
      )
      let uid = try #require(field("localId", found.body))
      let change = #"{"localId":"\#(uid)","email":"new@shop.example"}"#
      #expect(
        try await fixture.call("POST", "\(path):update", change, headers: bearer).status == 200
      )
      let again = try await fixture.call(
        "POST",
        "\(path):lookup",
        #"{"initialEmail":["ana@shop.example"]}"#,
        headers: bearer
      )
      #expect(
        field("localId", again.body) == uid && field("email", again.body) == "new@shop.example"
      )
      let old = "/identitytoolkit/v3/relyingparty"
      let target = #""target_project_id":"\#(IdentityFixture.project)""#
      let listed = try await fixture.call(
        "POST",
        "\(old)/downloadAccount",
        #"{"max_results":10,\#(target)}"#,
        headers: bearer
      )
      #expect(field("localId", listed.body) == uid, "\(listed.body)")
      let uploaded = try await fixture.call(
        "POST",
        "\(old)/uploadAccount",
        #"{\#(target),"users":[{"local_id":"old"}]}"#,
        headers: bearer
      )
      #expect(uploaded.body.contains("UploadAccountResponse"), "\(uploaded.body)")
    }
  }
}
