import Access
import Authentication
import BaseJSON
import BaseStatus
import BaseText
import HTTPTypes
import ServiceModule

/// Signing in to the console and out of it.
///
///     POST /console/session/sign-in       email and password: a session, or a second factor is asked for; with
///                                         the code of the second factor at once: a session
///     POST /console/session/factor        the code of the second factor, or a recovery code: a session
///     POST /console/session/challenge     what a passkey signs
///     POST /console/session/passkey       what it signed: a session
///     POST /console/session/invitation    what a set-up link is for
///     POST /console/session/accept        makes the account of a set-up link: a session
///     POST /console/session/token         a short token for the cookie of a session
///     POST /console/session/end           ends the session of a token
///
/// A session is a cookie, which the route of tokens alone reads. Every other call of the page carries a token, which no
/// browser sends by itself.
struct SessionRoutes: Sendable {
  let environment: ConsoleEnvironment

  private var administrators: Administrators { environment.administrators }

  var routes: [HTTPRoute] {
    [
      route("sign-in", signIn), route("factor", factor), route("invitation", invitation),
      route("accept", accept), route("token", token), route("end", end),
      route("challenge", challenge), route("passkey", passkey),
    ]
  }

  private func route(
    _ name: String,
    _ answer: @escaping @Sendable (ServiceRequest) async throws -> ServiceResponse
  ) -> HTTPRoute {
    var route = HTTPRoute(
      .post,
      RoutePattern("/console/session/\(name)"),
      for: .administrators
    ) { request in
      try OwnOrigin.requireStrictly(request)
      guard request.context.isSecure || request.context.isLocal else { throw Self.unsafe }
      do {
        return try await answer(request)
      } catch let error as AccountError {
        if error.code == .tooManyAttempts { await environment.holdRefusal() }
        throw Self.error(error)
      }
    }
    // The responses are for the page of this origin alone.
    route.decidesOrigins = true
    return route.demanding { _, _ in .viewer }
  }

  // MARK: Answers

  @Sendable
  private func signIn(_ request: ServiceRequest) async throws -> ServiceResponse {
    let body = try await ConsoleBody(request)
    let (email, password) = (try body.required("email"), try body.required("password"))
    let address = request.address
    if let code = body.text("code"), !code.isEmpty {
      let secret = try await audit.noting("sign-in", request, of: email) { administrators in
        (
          try administrators.signIn(email: email, password: password, code: code, from: address),
          email
        )
      }
      return try await signedIn(secret, as: email, request)
    }
    let device = DeviceCookie.token(request, isSecure: environment.isSecure(request))
    let outcome = try await audit.noting("sign-in", request, of: email) { administrators in
      let outcome = try administrators.signIn(
        email: email,
        password: password,
        from: address,
        device: device
      )
      return (outcome, email)
    }
    switch outcome {
    case .session(let secret): return try await signedIn(secret, as: email, request)
    case .needsSecondFactor(let pending, let factor):
      return .private(.object(["pending": .string(pending), "factor": .string(factor)]))
    }
  }

  @Sendable
  private func factor(_ request: ServiceRequest) async throws -> ServiceResponse {
    let body = try await ConsoleBody(request)
    let (pending, factor) = (try body.required("pending"), try body.required("factor"))
    let code = try body.required("code")
    let action = RecoveryCode.isForm(of: code) ? "recovery code" : "second factor"
    let signedIn = try await audit.noting(action, request) { administrators in
      let done = try administrators.finishSignIn(pending: pending, factor: factor, code: code)
      return (done, done.email)
    }
    return try await self.signedIn(signedIn.secret, as: signedIn.email, request)
  }

  @Sendable
  private func invitation(_ request: ServiceRequest) async throws -> ServiceResponse {
    let body = try await ConsoleBody(request)
    let code = try body.required("code")
    let found = try await environment.blocking { try administrators.invitation(code) }
    var members: [JSONValue.Member] = [
      .init("role", found.roles.server.json),
      .init("projects", found.roles.projectsJSON),
      .init("secret", .string(found.secretText)),
      .init("address", .string(found.address(for: found.email ?? "administrator"))),
      .init("requiresFactor", .boolean(administrators.requiresSecondFactor)),
    ]
    if let email = found.email { members.append(.init("email", .string(email))) }
    return .private(.object(members))
  }

  @Sendable
  private func accept(_ request: ServiceRequest) async throws -> ServiceResponse {
    let body = try await ConsoleBody(request)
    let (code, password) = (try body.required("code"), try body.required("password"))
    let made = try await audit.noting("set-up", request) { administrators in
      let made = try administrators.accept(
        code,
        email: body.text("email"),
        password: password,
        factorCode: body.text("factorCode")
      )
      return (made, made.email)
    }
    let codes = JSONValue.array(made.recoveryCodes.map(JSONValue.string))
    return try await signedIn(made.secret, as: made.email, request, ["recoveryCodes": codes])
  }

  @Sendable
  private func token(_ request: ServiceRequest) async throws -> ServiceResponse {
    guard let secret = SessionCookie.secret(request, isSecure: environment.isSecure(request)) else {
      throw ServiceError(.unauthenticated, "No one is signed in.")
    }
    let made = try await environment.blocking { try administrators.makeToken(session: secret) }
    return .private(
      .object([
        "token": .string(made.token),
        "expiresIn": .number(String(AdministratorSessions.lifetime)),
        "sessionEndsIn": .number(String(made.secondsLeft)),
        "email": .string(made.holder.email), "role": made.holder.roles.server.json,
        "projects": made.holder.roles.projectsJSON,
      ])
    )
  }

  @Sendable
  private func end(_ request: ServiceRequest) async throws -> ServiceResponse {
    let holder = try environment.access.consoleAdministrator(request.context, of: .own)
    if let authorization = request.headers[.authorization] {
      let token = authorization.split(separator: " ").last ?? ""
      try await audit.noting("sign-out", request) { administrators in
        (try administrators.signOut(token: token), holder?.email ?? "")
      }
    }
    return signedIn("", request)
  }

  @Sendable
  private func challenge(_ request: ServiceRequest) async throws -> ServiceResponse {
    let party = try environment.relyingParty(request)
    let challenge = administrators.passkeyChallenge()
    return .private(.object(["challenge": .string(challenge), "host": .string(party.host)]))
  }

  @Sendable
  private func passkey(_ request: ServiceRequest) async throws -> ServiceResponse {
    let body = try await ConsoleBody(request)
    let assertion = PasskeyAssertion(
      id: try body.bytes("id"),
      uid: Text(String(decoding: try body.bytes("user"), as: UTF8.self)),
      clientData: try body.bytes("clientData"),
      authenticatorData: try body.bytes("authenticatorData"),
      signature: try body.bytes("signature")
    )
    let party = try environment.relyingParty(request)
    let secret = try await audit.noting("passkey", request) { administrators in
      try administrators.signIn(assertion, at: party)
    }
    return signedIn(secret, request)
  }

  private var audit: SessionAudit { SessionAudit(environment: environment) }

  /// A response that sets the cookies of a session and of the device, which is known from now on.
  private func signedIn(
    _ secret: String,
    as email: String,
    _ request: ServiceRequest,
    _ members: [String: JSONValue] = [:]
  ) async throws -> ServiceResponse {
    var response = signedIn(secret, request, members)
    let administrators = administrators
    let token = try await environment.blocking { try administrators.makeDeviceToken(for: email) }
    if let token {
      let isSecure = environment.isSecure(request)
      response.headers.append(DeviceCookie.field(token, isSecure: isSecure))
    }
    return response
  }

  /// A response that sets the cookie.
  private func signedIn(
    _ secret: String,
    _ request: ServiceRequest,
    _ members: [String: JSONValue] = [:]
  ) -> ServiceResponse {
    var response = ServiceResponse.private(
      .object(members.map { JSONValue.Member($0.key, $0.value) })
    )
    let isSecure = environment.isSecure(request)
    response.headers.append(SessionCookie.field(secret, isSecure: isSecure))
    return response
  }

  // MARK: Errors

  /// Returns the error that an administrator receives for a refusal: it never says which of
  /// address, password and code was wrong.
  private static func error(_ error: AccountError) -> ServiceError {
    switch error.code {
    case .tooManyAttempts:
      ServiceError(.resourceExhausted, "Too many attempts. Try again later.", cause: error)
    case .weakPassword, .passwordDoesNotMeetRequirements, .invalidEmail:
      ServiceError(.invalidArgument, error.message, cause: error)
    default:
      ServiceError(.unauthenticated, "The email address, password or code is wrong.", cause: error)
    }
  }

  private static let unsafe = ServiceError(
    .permissionDenied,
    "Administrators can sign in only over TLS or on the server's own machine."
  )
}
