import Access
import BaseText
import HTTPTypes
import ServiceModule

/// The target of a request of the account APIs, by its path.
///
/// Google spreads the APIs over host names. A request may come with the host's name as the first
/// segment of its path, as emulator clients send it, or without, when the names lead here. The paths
/// are those of `paths`:
///
///     POST   /v1/accounts:VERB                                clients, by API key
///     GET    /v1/projects, /v1/recaptchaParams, /v1/publicKeys, /v1/sessionCookiePublicKeys
///     POST   /v2/accounts/mfaEnrollment:VERB, /v2/accounts/mfaSignIn:VERB, /v2/accounts:revokeToken
///     GET    /v2/recaptchaConfig, /v2/passwordPolicy
///     POST   /v1/token                                        refresh
///     *      /identitytoolkit/v3/relyingparty/NAME            the same under its old names
///     POST   /v1/projects/P/accounts, /v1/projects/P/accounts:VERB, /v1/projects/P:createSessionCookie
///     *      /v2/projects/P/config, /oauthIdpConfigs, /inboundSamlConfigs, /tenants, …
///     POST   /token, /oauth2/v4/token, /oauth2/v3/token       a service account's access token
///     POST   /v1/projects/-/serviceAccounts/EMAIL:signBlob    signs for a service account
///     GET    /robot/v1/metadata/x509/NAME, /service_accounts/v1/jwk/NAME, /oauth2/v3/certs,
///            /P/.well-known/openid-configuration              published keys
///     GET    /.well-known/apple-app-site-association, /.well-known/assetlinks.json   apps on phones
///     *      /emulator/v1/projects/P/accounts, /config, /oobCodes, /verificationCodes   development
///     GET    /__/auth/action, /__/auth/handler, /__/auth/iframe, and their files
///
/// The methods of a path are checked behind it, where its errors have the APIs' own form.
enum IdentityRoute: Equatable, Sendable {
  /// An operation of a client; the project is the API key's.
  case client(String)
  /// An operation of an administrator on a project.
  case admin(project: String, String)
  /// A resource below a project: its segments.
  case configuration(project: String, [String])
  /// Refresh of a session.
  case token
  /// The exchange of a service account's assertion.
  case assertion
  /// Signing for the service account of that e-mail.
  case signBlob(account: String)
  case keys(PublishedKeys)
  case discovery(project: String)
  case emulator(project: String, [String])
  case page(String)
  /// The document that connects the server's address with apps on phones.
  case association(AssociatedSystem)
  /// A path that is the APIs' but names nothing.
  case unknown

  /// The project that an administrator's path names; nil of every other path.
  var project: Text? {
    switch self {
    case .admin(let project, _), .configuration(let project, _): Text(project)
    case .client, .token, .assertion, .signBlob, .keys, .discovery, .emulator, .page, .association,
      .unknown:
      nil
    }
  }

  /// The systems of phones whose apps have associated domains.
  enum AssociatedSystem: Equatable, Sendable {
    case apple, android
  }

  /// The documents with the keys of tokens.
  enum PublishedKeys: Equatable, Sendable {
    /// `kid` to PEM certificate.
    case certificates
    /// A set of JSON Web Keys.
    case webKeys
  }

  /// A pattern with what its paths ask for.
  struct Path: Sendable {
    let pattern: RoutePattern
    let audience: HTTPRoute.Audience
    /// All methods but where another API has some on the same path.
    var methods = HTTPRoute.everyMethod
    let route: @Sendable (_ parameters: [String: String], _ rest: [String]) -> IdentityRoute
  }

  /// Google's hosts of the account APIs.
  static let hosts = [
    "identitytoolkit.googleapis.com", "securetoken.googleapis.com", "www.googleapis.com",
    "oauth2.googleapis.com", "securetoken.google.com", "iamcredentials.googleapis.com",
  ]

  /// All paths.
  static func paths(isDevelopment: Bool) -> [Path] {
    clientPaths + keyPaths + pagePaths + administratorPaths + configurationPaths
      + (isDevelopment ? emulatorPaths : [])
  }

  private static let clientPaths: [Path] = [
    clientPath("/v1/accounts:{verb}") { values, _ in .client(values["verb"] ?? "") },
    Path(pattern: "/v1/projects", audience: .clients, methods: [.get]) { _, _ in
      .client("projects")
    },
    clientPath("/v1/recaptchaParams") { _, _ in .client("recaptchaParams") },
    clientPath("/v1/token") { _, _ in .token },
    clientPath("/v2/recaptchaConfig") { _, _ in .client("recaptchaConfig") },
    clientPath("/v2/passwordPolicy") { _, _ in .client("passwordPolicy") },
    clientPath("/v2/accounts:revokeToken") { _, _ in .client("revokeToken") },
    clientPath("/v2/accounts/{verb}") { values, _ in .client(values["verb"] ?? "") },
    clientPath("/token") { _, _ in .assertion },
    clientPath("/oauth2/v4/token") { _, _ in .assertion },
    clientPath("/oauth2/v3/token") { _, _ in .assertion },
    clientPath("/identitytoolkit/v3/relyingparty/{name}") { values, _ in
      relyingParty(values["name"] ?? "")
    },
  ]

  private static let keyPaths: [Path] = [
    clientPath("/v1/publicKeys") { _, _ in .keys(.certificates) },
    clientPath("/v1/sessionCookiePublicKeys") { _, _ in .keys(.webKeys) },
    clientPath("/robot/v1/metadata/x509/{name}") { _, _ in .keys(.certificates) },
    clientPath("/service_accounts/v1/jwk/{name}") { _, _ in .keys(.webKeys) },
    clientPath("/oauth2/v3/certs") { _, _ in .keys(.webKeys) },
    clientPath("/.well-known/apple-app-site-association") { _, _ in .association(.apple) },
    clientPath("/.well-known/assetlinks.json") { _, _ in .association(.android) },
    clientPath("/{project}/.well-known/openid-configuration") { values, _ in
      .discovery(project: values["project"] ?? "")
    },
  ]

  private static let pagePaths: [Path] = [
    clientPath("/__/auth/{file}") { values, _ in .page(values["file"] ?? "") },
    clientPath("/emulator/auth/{file}") { values, _ in .page(values["file"] ?? "") },
    clientPath("/emulator/action") { _, _ in .page("action") },
  ]

  private static let administratorPaths: [Path] = [
    administratorPath("/v1/projects/{project}/accounts") { project, _, _ in
      .admin(project: project, "create")
    },
    administratorPath("/v1/projects/{project}/accounts:{verb}") { project, values, _ in
      .admin(project: project, values["verb"] ?? "")
    },
    administratorPath("/v1/projects/{project}:createSessionCookie") { project, _, _ in
      .admin(project: project, "createSessionCookie")
    },
    administratorPath("/v1/projects/{project}/serviceAccounts/{account}:signBlob") { _, values, _ in
      .signBlob(account: values["account"] ?? "")
    },
  ]

  /// Resources of a project; tenants are there to be refused by name.
  private static let configurationPaths: [Path] =
    resourcePaths("/v1/projects/{project}/tenants", ["tenants"], below: "{path=**}")
    + resourcePaths("/v2/projects/{project}/tenants", ["tenants"], below: "{path=**}")
    + resourcePaths("/v2/projects/{project}/config", ["config"], below: "{id}")
    // The name that the Firebase CLI has for it.
    + resourcePaths("/admin/v2/projects/{project}/config", ["config"], below: "{id}")
    + ProviderResource.allCases.flatMap { resource in
      resourcePaths(
        "/v2/projects/{project}/\(resource.collection)",
        [resource.collection],
        below: "{id}"
      )
    }

  private static let emulatorPaths: [Path] =
    helperPaths(["accounts", "config", "oobCodes", "verificationCodes", "tenants"])
    + [
      administratorPath("/emulator/v1/projects/{project}/tenants/{path=**}") { project, _, rest in
        .emulator(project: project, ["tenants"] + rest)
      }
    ]

  private static func helperPaths(_ names: [String]) -> [Path] {
    names.map { name in
      administratorPath("/emulator/v1/projects/{project}/\(name)") { project, _, _ in
        .emulator(project: project, [name])
      }
    }
  }

  /// A resource, and what may follow its path.
  private static func resourcePaths(
    _ path: String,
    _ segments: [String],
    below: String
  ) -> [Path] {
    [
      administratorPath(path) { project, _, _ in .configuration(project: project, segments) },
      administratorPath("\(path)/\(below)") { project, values, rest in
        let id = values["id"].map { [$0] } ?? rest
        return .configuration(project: project, segments + id)
      },
    ]
  }

  private static func clientPath(
    _ pattern: RoutePattern,
    _ route: @escaping @Sendable ([String: String], [String]) -> IdentityRoute
  ) -> Path {
    Path(pattern: pattern, audience: .clients, route: route)
  }

  private static func administratorPath(
    _ pattern: String,
    _ route: @escaping @Sendable (String, [String: String], [String]) -> IdentityRoute
  ) -> Path {
    Path(pattern: RoutePattern(pattern), audience: .administrators) { values, rest in
      route(values["project"] ?? "", values, rest)
    }
  }

  private static func relyingParty(_ name: String) -> IdentityRoute {
    if name == "publicKeys" { return .keys(.certificates) }
    let names = [
      "signupNewUser": "signUp", "verifyPassword": "signInWithPassword",
      "verifyCustomToken": "signInWithCustomToken", "verifyAssertion": "signInWithIdp",
      "emailLinkSignin": "signInWithEmailLink", "verifyPhoneNumber": "signInWithPhoneNumber",
      "sendVerificationCode": "sendVerificationCode", "getOobConfirmationCode": "sendOobCode",
      "resetPassword": "resetPassword", "getAccountInfo": "lookup", "setAccountInfo": "update",
      "deleteAccount": "delete", "createAuthUri": "createAuthUri",
      "getRecaptchaParam": "recaptchaParams", "getProjectConfig": "projects",
      "downloadAccount": "downloadAccount", "uploadAccount": "uploadAccount",
      "verifyClient": "verifyIosClient", "signInWithGameCenter": "signInWithGameCenter",
    ]
    return names[name].map { .client($0) } ?? .unknown
  }

  /// The role of a signed-in administrator that a request takes.
  ///
  /// GET is no sign of reading here: old clients send it for what changes accounts.
  static func role(_ method: HTTPRequest.Method, _ path: String) -> AdministratorRole {
    if let act = act(method, path) { return act.right.role }
    let segments = path.split(separator: "/").map(String.init)
    guard segments.count == 4, segments[0] == "v1", segments[1] == "projects" else {
      return .editor
    }
    switch (method, segments[3]) {
    case (.get, "accounts:batchGet"), (.post, "accounts:lookup"), (.post, "accounts:query"):
      return .viewer
    default: return .editor
    }
  }

  /// The act of administration that a path, as it came, is for; nil for those that take no more than a role.
  static func act(_ method: HTTPRequest.Method, _ path: String) -> AdministrativeAct? {
    if signsBlobs(path) { return .signAsServiceAccount }
    if configuresSignIn(path) { return method == .get ? nil : .changeSignInMethods }
    return erasesUsers(path) ? .eraseUsers : nil
  }

  /// Returns true for a path, as it came, of the resources that decide who may sign in.
  private static func configuresSignIn(_ path: String) -> Bool {
    let segments = path.split(separator: "/").map { PercentEncoding.decode($0) ?? String($0) }
    guard let start = segments.firstIndex(of: "projects"), segments.count > start + 2 else {
      return false
    }
    let name = segments[start + 2]
    return name == "config" || ProviderResource(collection: name) != nil
  }

  private static func signsBlobs(_ path: String) -> Bool {
    let last = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    return (PercentEncoding.decode(last) ?? String(last)).hasSuffix(":signBlob")
  }

  /// Returns true for a path, as it came, that erases users, whichever of the APIs' forms it has.
  ///
  /// Its segments are judged decoded, as the route table matches them: `accounts%3Adelete` is `accounts:delete`.
  static func erasesUsers(_ path: String) -> Bool {
    let last = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let name = PercentEncoding.decode(last) ?? String(last)
    // Both `accounts:delete` and `accounts/delete` are there.
    let verb = name.split(separator: ":").last ?? ""
    return ["delete", "batchDelete", "deleteAccount"].contains(verb)
  }
}
