import HTTPTypes
import ServiceModule
import ServiceTestSupport
import Testing

@testable import IdentityAPI

/// Documents and pages for everybody, tokens of service accounts, settings, and the emulator's helpers.
@Suite struct DocumentRouteTests {
  @Test func `every path is a route`() async throws {
    for isDevelopment in [false, true] {
      try await IdentityServer.run(isDevelopment: isDevelopment) { identity in
        let names = IdentityRoute.paths(isDevelopment: isDevelopment).flatMap { path in
          path.methods.map { "\($0.rawValue) \(path.pattern)" }
        }
        #expect(identity.routes.names == Set(names))
      }
    }
  }

  static let documents: [(path: String, content: String)] = [
    ("/v1/publicKeys", "-----BEGIN CERTIFICATE-----"),
    (
      "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com",
      "-----BEGIN CERTIFICATE-----"
    ),
    ("/v1/sessionCookiePublicKeys", #""keys""#),
    ("/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", #""keys""#),
    ("/oauth2/v3/certs", #""keys""#),
    ("/p/.well-known/openid-configuration", "https://securetoken.google.com/p"),
    ("/.well-known/apple-app-site-association", #""applinks""#),
    ("/.well-known/assetlinks.json", "[]"),
    ("/__/auth/action", "<html"), ("/__/auth/page.css", "{"), ("/__/auth/icon.svg", "<svg"),
    ("/__/auth/action.js", "use strict"), ("/emulator/action", "<html"),
  ]

  @Test(arguments: documents)
  func `a document is everybody's`(path: String, content: String) async throws {
    try await IdentityServer.run { identity in
      for caller in [TestCaller.stranger, .forger] {
        let response = try await identity.routes.call("GET \(path)", as: caller)
        #expect(response.outcome == "200")
        #expect(response.text.contains(content), "\(response.text.prefix(300))")
      }
      if !path.contains("/v1/") && !path.contains("certs") && !path.contains("openid") {
        let changed = try await identity.routes.call("DELETE \(path)", as: .key)
        #expect(changed.outcome == "404 NOT_FOUND Not Found")
      }
    }
  }

  @Test func `an unknown page and an unknown call are not found`() async throws {
    try await IdentityServer.run { identity in
      for request in [
        "GET /__/auth/other.js", "POST /v1/accounts:dance?key=p",
        "POST /v2/accounts/dance?key=p", "POST /identitytoolkit/v3/relyingparty/dance?key=p",
        "POST /identitytoolkit.googleapis.com/v1/dance",
      ] {
        let response = try await identity.routes.call(request, as: .stranger, body: "{}")
        #expect(response.outcome == "404 NOT_FOUND Not Found", "\(request)")
      }
    }
  }

  @Test(arguments: ["/token", "/oauth2/v4/token", "/oauth2/v3/token"])
  func `an access token takes the assertion of a known service account`(path: String) async throws {
    try await IdentityServer.run { identity in
      let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
      let cases: [(body: String, error: String)] = [
        ("{}", "unsupported_grant_type"), ("[]", "invalid_grant"),
        (#"{"grant_type":"refresh_token"}"#, "unsupported_grant_type"),
        (#"{"grant_type":"\#(grant)"}"#, "unsupported_grant_type"),
        (#"{"grant_type":"\#(grant)","assertion":"a.b.c"}"#, "invalid_grant"),
      ]
      for (body, error) in cases {
        let response = try await identity.routes.call("POST \(path)", as: .stranger, body: body)
        #expect(response.status == 400, "\(body)")
        #expect(response["error"]?.string == error, "\(response.text)")
        #expect(response["access_token"] == nil)
      }
    }
  }

  @Test func `a refresh takes a valid token of the key's project`() async throws {
    try await IdentityServer.run { identity in
      for (body, outcome) in [
        ("{}", "400 MISSING_GRANT_TYPE"), (#"{"grantType":"password"}"#, "400 INVALID_GRANT_TYPE"),
        (#"{"grantType":"refresh_token"}"#, "400 MISSING_REFRESH_TOKEN"),
        (#"{"grantType":"refresh_token","refreshToken":"x"}"#, "400 INVALID_REFRESH_TOKEN"),
      ] {
        let response = try await identity.routes.call(
          "POST /v1/token?key=p",
          as: .stranger,
          body: body
        )
        #expect(response.outcome.hasPrefix(outcome), "\(response.outcome)")
      }
      let keyless = try await identity.routes.call("POST /v1/token", as: .stranger, body: "{}")
      #expect(
        keyless.outcome == "403 PERMISSION_DENIED The request is missing a valid API key."
      )
    }
  }

  @Test func `a service account that is not there signs nothing`() async throws {
    try await IdentityServer.run { identity in
      let request = "POST /v1/projects/-/serviceAccounts/x@p.iam.brasa:signBlob"
      let response = try await identity.routes.call(request, body: #"{"payload":"AAAA"}"#)
      #expect(
        response.outcome
          == "404 NOT_FOUND There is no service account x@p.iam.brasa: create one with `brasa keys create`."
      )
      for body in ["{}", #"{"payload":""}"#, #"{"payload":"?"}"#] {
        let wrong = try await identity.routes.call(request, body: body)
        #expect(
          wrong.outcome
            == "400 INVALID_ARGUMENT Invalid value at 'payload' (TYPE_BYTES): 1 byte to 1 MiB in "
            + "Base64."
        )
      }
    }
  }

  @Test func `tenants are refused by name to administrators alone`() async throws {
    try await IdentityServer.run { identity in
      for path in ["/v2/projects/p/tenants", "/v1/projects/p/tenants/t/accounts:lookup"] {
        let response = try await identity.routes.call("GET \(path)")
        #expect(response.status == 400)
        #expect(response.text.contains("Brasa does not support tenants."), "\(response.text)")
        let stranger = try await identity.routes.call("GET \(path)", as: .stranger)
        #expect(stranger.status == 401)
      }
    }
  }

  @Test func `the emulator's helpers are development's`() async throws {
    try await IdentityServer.run(isDevelopment: true) { identity in
      let root = "/emulator/v1/projects/p"
      _ = try await identity.create()
      let config = try await identity.routes.call(
        "PATCH \(root)/config",
        as: .stranger,
        body: #"{"emailPrivacyConfig":{"enableImprovedEmailPrivacy":true}}"#
      )
      #expect(
        config["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.boolean == true
      )
      #expect(
        try await identity.routes.call("GET \(root)/config", as: .stranger).json == config.json
      )
      let duplicates = try await identity.routes.call(
        "PATCH \(root)/config",
        as: .stranger,
        body: #"{"signIn":{"allowDuplicateEmails":true}}"#
      )
      #expect(duplicates.outcome.hasPrefix("400 OPERATION_NOT_ALLOWED"))
      let codes = try await identity.routes.call("GET \(root)/oobCodes", as: .stranger)
      #expect(codes.text == #"{"oobCodes":[]}"#)
      let texts = try await identity.routes.call("GET \(root)/verificationCodes", as: .stranger)
      #expect(texts.text == #"{"verificationCodes":[]}"#)
      let tenants = try await identity.routes.call("GET \(root)/tenants", as: .stranger)
      #expect(tenants.status == 400)
      let cleared = try await identity.routes.call("DELETE \(root)/accounts", as: .stranger)
      #expect(cleared.text == "{}")
      #expect(try await identity.emails() == [])
    }
  }
}
