import FirestoreModel
import FirestoreWire
import HTTPTypes

/// What a request of the account APIs asks for, as its method and path tell.
///
/// Google spreads the APIs over host names. A request may come with the host's name as the first
/// segment of its path, as emulator clients send it, or without, when the names lead here. The paths
/// are:
///
///     POST   /v1/accounts:VERB                                clients, by API key
///     GET    /v1/projects, /v1/recaptchaParams, /v1/publicKeys, /v1/sessionCookiePublicKeys
///     POST   /v2/accounts/mfaEnrollment:VERB, /v2/accounts/mfaSignIn:VERB, /v2/accounts:revokeToken
///     GET    /v2/recaptchaConfig, /v2/passwordPolicy
///     POST   /v1/token                                        refresh
///     *      /identitytoolkit/v3/relyingparty/NAME            the same under its old names
///     POST   /v1/projects/P/accounts, /v1/projects/P/accounts:VERB, /v1/projects/P:createSessionCookie
///     *      /v2/projects/P/config, /oauthIdpConfigs, /inboundSamlConfigs, /tenants, …
///     POST   /token                                           a service account's access token
///     GET    /robot/v1/metadata/x509/NAME, /service_accounts/v1/jwk/NAME, /oauth2/v3/certs,
///            /P/.well-known/openid-configuration              published keys
///     *      /emulator/v1/projects/P/accounts, /config, /oobCodes, /verificationCodes   development
///     GET    /__/auth/action, /__/auth/handler, and their files
enum IdentityRoute: Equatable {
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
  case keys(PublishedKeys)
  case discovery(project: String)
  case emulator(project: String, [String])
  case page(String)
  /// A path that is the APIs' but names nothing.
  case unknown

  /// The documents with the keys of tokens.
  enum PublishedKeys: Equatable {
    /// `kid` to PEM certificate.
    case certificates
    /// A set of JSON Web Keys.
    case webKeys
  }

  /// What the path names; nil where the path belongs to another API.
  init?(path: String, isDevelopment: Bool) {
    var segments = path.split(separator: "/", omittingEmptySubsequences: true)
      .map { PercentEncoding.decode($0) ?? String($0) }
    guard let first = segments.first else { return nil }
    let isHost = Self.hosts.contains(first)
    if isHost { segments.removeFirst() }
    guard let route = Self.route(segments, isDevelopment: isDevelopment) else {
      guard isHost else { return nil }
      self = .unknown
      return
    }
    if case .emulator = route, !isDevelopment { return nil }
    self = route
  }

  private static let hosts: Set<String> = [
    "identitytoolkit.googleapis.com", "securetoken.googleapis.com", "www.googleapis.com",
    "oauth2.googleapis.com", "securetoken.google.com",
  ]

  private static func route(_ segments: [String], isDevelopment: Bool) -> IdentityRoute? {
    switch (segments.first, segments.count) {
    case ("v1"?, 2): version1(segments[1])
    case ("v1"?, 3...) where segments[1] == "projects": project1(Array(segments[2...]))
    case ("v2"?, 2...): version2(Array(segments[1...]))
    case ("token"?, 1): .assertion
    case ("identitytoolkit"?, 4) where segments[1] == "v3" && segments[2] == "relyingparty":
      relyingParty(segments[3])
    case ("robot"?, 5) where segments[..<4] == ["robot", "v1", "metadata", "x509"]:
      .keys(.certificates)
    case ("service_accounts"?, 4) where segments[1...2] == ["v1", "jwk"]: .keys(.webKeys)
    case ("oauth2"?, 3) where segments[1...2] == ["v3", "certs"]: .keys(.webKeys)
    case (let project?, 3)
    where segments[1...2] == [".well-known", "openid-configuration"]:
      .discovery(project: project)
    case ("emulator"?, 4...) where segments[1...2] == ["v1", "projects"]:
      emulator(segments[3], Array(segments[4...]))
    case ("emulator"?, 2) where segments[1] == "action": .page("action")
    case ("emulator"?, 3) where segments[1] == "auth": .page(segments[2])
    case ("__"?, 3) where segments[1] == "auth": .page(segments[2])
    default: nil
    }
  }

  private static func version1(_ name: String) -> IdentityRoute? {
    switch name {
    case "token": return .token
    case "publicKeys": return .keys(.certificates)
    case "sessionCookiePublicKeys": return .keys(.webKeys)
    case "projects", "recaptchaParams": return .client(name)
    default:
      guard name.hasPrefix("accounts:") else { return nil }
      return .client(String(name.dropFirst("accounts:".count)))
    }
  }

  /// Below `/v1/projects`, where Firestore and others live too.
  private static func project1(_ segments: [String]) -> IdentityRoute? {
    let head = segments[0].split(separator: ":", maxSplits: 1)
    if segments.count == 1, head.count == 2, head[1] == "createSessionCookie" {
      return .admin(project: String(head[0]), "createSessionCookie")
    }
    if segments.count >= 2, segments[1] == "tenants" {
      return .configuration(project: segments[0], ["tenants"])
    }
    guard segments.count == 2 else { return nil }
    if segments[1] == "accounts" { return .admin(project: segments[0], "create") }
    guard segments[1].hasPrefix("accounts:") else { return nil }
    return .admin(project: segments[0], String(segments[1].dropFirst("accounts:".count)))
  }

  private static func version2(_ segments: [String]) -> IdentityRoute? {
    switch (segments[0], segments.count) {
    case ("recaptchaConfig", 1), ("passwordPolicy", 1): .client(segments[0])
    case ("accounts:revokeToken", 1): .client("revokeToken")
    case ("accounts", 2): .client(segments[1])
    // Databases have no version 2.
    case ("projects", 3...) where segments[2] != "databases":
      .configuration(project: segments[1], Array(segments[2...]))
    default: nil
    }
  }

  private static func relyingParty(_ name: String) -> IdentityRoute? {
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
    return names[name].map(IdentityRoute.client) ?? .unknown
  }

  private static func emulator(_ project: String, _ rest: [String]) -> IdentityRoute? {
    switch rest.first {
    case "accounts", "config", "oobCodes", "verificationCodes", "tenants":
      .emulator(project: project, rest)
    default: nil
    }
  }
}
