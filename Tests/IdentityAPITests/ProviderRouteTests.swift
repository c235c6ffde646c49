import ServiceTestSupport
import Testing

@testable import IdentityAPI

/// The resources that decide who may sign in, which owners of the project change.
@Suite struct ProviderRouteTests {
  private static let root = "/v2/projects/p"
  private static let body =
    #"{"clientId":"client","clientSecret":"hidden","issuer":"https://id.example","enabled":true}"#

  /// Every call on a collection of providers.
  static let cases: [RouteCase] = ProviderResource.allCases.flatMap { resource in
    let pattern = "/v2/projects/{project}/\(resource.collection)"
    let path = "\(root)/\(resource.collection)"
    let absent = "404 NOT_FOUND CONFIGURATION_NOT_FOUND"
    return [
      RouteCase("GET \(pattern)", path),
      RouteCase(
        "POST \(pattern)",
        path,
        body: "{}",
        takes: .owner,
        recent: true,
        "400 MISSING_PROVIDER_ID"
      ),
      RouteCase("GET \(pattern)/{id}", "\(path)/oidc.x", absent),
      RouteCase(
        "PATCH \(pattern)/{id}",
        "\(path)/oidc.x",
        body: "{}",
        takes: .owner,
        recent: true,
        absent
      ),
      RouteCase(
        "DELETE \(pattern)/{id}",
        "\(path)/oidc.x",
        takes: .owner,
        recent: true,
        absent
      ),
    ]
  }

  @Test(arguments: cases)
  func `a caller without the rights is refused, and nobody else`(_ route: RouteCase) async throws {
    try await IdentityServer.run { identity in
      let nobody = try await identity.routes.call(route.request, as: .stranger, body: route.body)
      #expect(nobody.outcome.hasPrefix("401 UNAUTHENTICATED Request is missing required "))
      for (caller, outcome) in route.refusals.dropFirst() {
        let response = try await identity.routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome == outcome, "\(caller)")
      }
      for caller in route.allowed {
        let response = try await identity.routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome.hasPrefix(route.outcome), "\(caller): \(response.outcome)")
      }
    }
  }

  @Test func `a provider is set up, changed and removed, and its secret is shown to no person`()
    async throws
  {
    try await IdentityServer.run { identity in
      let routes = identity.routes
      let owner = TestCaller.administrator(.owner, of: "p")
      let path = "\(Self.root)/oauthIdpConfigs"
      let made = try await routes.call(
        "POST \(path)?oauthIdpConfigId=oidc.shop",
        as: owner,
        body: Self.body
      )
      #expect(made.outcome == "200", "\(made.text)")
      #expect(made["name"]?.string?.hasSuffix("/oauthIdpConfigs/oidc.shop") == true)
      #expect(made["hasSecret"]?.boolean == true)
      #expect(!made.text.contains("hidden"))
      let listed = try await routes.call("GET \(path)", as: owner)
      #expect(listed["oauthIdpConfigs"]?.elements == [made.json])
      let backend = try await routes.call("GET \(path)/oidc.shop")
      #expect(backend["clientSecret"]?.string == "hidden")
      let foreign = try await routes.call("GET /v2/projects/q/oauthIdpConfigs")
      #expect(foreign["oauthIdpConfigs"]?.elements ?? [] == [])
      let changed = try await routes.call(
        "PATCH \(path)/oidc.shop?updateMask=enabled",
        as: owner,
        body: #"{"enabled":false,"clientId":"other"}"#
      )
      #expect(changed["clientId"]?.string == "client")
      let deleted = try await routes.call("DELETE \(path)/oidc.shop", as: owner)
      #expect(deleted.text == "{}")
      let gone = try await routes.call("GET \(path)/oidc.shop", as: owner)
      #expect(gone.status == 404)
    }
  }

  @Test(arguments: [
    ("oauthIdpConfigs?oauthIdpConfigId=oidc.a", "{}", "400 MISSING_OAUTH_CLIENT_ID"),
    (
      "oauthIdpConfigs?oauthIdpConfigId=oidc.a", #"{"clientId":"a"}"#, "400 MISSING_ISSUER"
    ),
    ("oauthIdpConfigs?oauthIdpConfigId=oidc.a", #"{"clientId":7}"#, "400 INVALID_ARGUMENT "),
    ("oauthIdpConfigs?oauthIdpConfigId=oidc.a", #"{"enabled":"yes"}"#, "400 INVALID_ARGUMENT "),
    ("oauthIdpConfigs?oauthIdpConfigId=oidc.a", #"{"color":1}"#, "400 INVALID_ARGUMENT "),
    ("defaultSupportedIdpConfigs?idpId=google.com", "{}", "400 MISSING_OAUTH_CLIENT_ID"),
    ("inboundSamlConfigs?inboundSamlConfigId=saml.a", "{}", "400 OPERATION_NOT_ALLOWED"),
  ])
  func `a wrong provider is refused and not kept`(
    target: String,
    body: String,
    outcome: String
  ) async throws {
    try await IdentityServer.run { identity in
      let response = try await identity.routes.call("POST \(Self.root)/\(target)", body: body)
      #expect(response.outcome.hasPrefix(outcome), "\(response.outcome)")
      let collection = String(target.prefix { $0 != "?" })
      let listed = try await identity.routes.call("GET \(Self.root)/\(collection)")
      #expect(listed[collection]?.elements ?? [] == [])
    }
  }

  @Test func `the settings of sign-in are changed where the mask says so`() async throws {
    try await IdentityServer.run { identity in
      let path = "\(Self.root)/config"
      let changed = try await identity.routes.call(
        "PATCH \(path)?updateMask=signIn.anonymous.enabled",
        as: .administrator(.owner, of: "p"),
        body: #"{"signIn":{"anonymous":{"enabled":true},"email":{"enabled":false}}}"#
      )
      #expect(changed["signIn"]?["anonymous"]?["enabled"]?.boolean == true, "\(changed.text)")
      #expect(changed["signIn"]?["email"]?["enabled"]?.boolean == true)
      let other = try await identity.routes.call("GET /v2/projects/q/config")
      #expect(other["signIn"]?["anonymous"]?["enabled"]?.boolean != true)
      let signedUp = try await identity.client("signUp", "{}")
      #expect(signedUp.outcome == "200", "\(signedUp.text)")
      let wrong = try await identity.routes.call(
        "PATCH \(path)",
        body: #"{"signIn":{"anonymous":{"enabled":"yes"}}}"#
      )
      #expect(wrong.outcome.hasPrefix("400 INVALID_ARGUMENT "), "\(wrong.outcome)")
    }
  }
}
