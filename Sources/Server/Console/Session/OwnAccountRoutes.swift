import Access
import Authentication
import BaseJSON
import BaseStatus
import BaseText
import HTTPTypes
import ServiceModule

/// The calls by which administrators manage their own accounts, for every role.
///
/// A call that adds a way to sign in requires the password again.
///
///     GET    /console/api/me                        second factor, passkeys, the number of recovery codes that are left
///     POST   /console/api/me/recovery-codes         ten new ones, which are shown this once
///     POST   /console/api/me/passkeys/challenge     what a new passkey signs, and for whom it is
///     POST   /console/api/me/passkeys               the passkey that was made
///     DELETE /console/api/me/passkeys/{passkey}
struct OwnAccountRoutes: Sendable {
  let environment: ConsoleEnvironment

  private typealias Answer =
    @Sendable (ServiceRequest, SignedInAdministrator) async throws -> ServiceResponse

  var routes: [HTTPRoute] {
    let root = "/console/api/me"
    return [
      route(.get, root, show), route(.post, root + "/recovery-codes", makeRecoveryCodes),
      route(.post, root + "/passkeys/challenge", challenge),
      route(.post, root + "/passkeys", addPasskey),
      route(.delete, root + "/passkeys/{passkey}", removePasskey),
    ]
  }

  private func route(
    _ method: HTTPRequest.Method,
    _ pattern: String,
    _ answer: @escaping Answer
  ) -> HTTPRoute {
    HTTPRoute.ofConsole(method, pattern, environment, about: .own) { request in
      let access = environment.access
      guard let holder = try access.consoleAdministrator(request.context, of: .own) else {
        throw ServiceError(.failedPrecondition, "A development server has no sign-in.")
      }
      do {
        return try await answer(request, holder)
      } catch let error as AccountError {
        if error.code == .tooManyAttempts { await environment.holdRefusal() }
        throw Self.error(error)
      }
    }.demanding { _, _ in .viewer }
  }

  // MARK: Answers

  @Sendable
  private func show(
    _ request: ServiceRequest,
    _ holder: SignedInAdministrator
  ) async throws -> ServiceResponse {
    let user = try await environment.blocking { [administrators = environment.administrators] in
      try administrators.user(of: holder)
    }
    return .private(
      .object([
        "hasSecondFactor": .boolean(!user.secondFactors.isEmpty),
        "recoveryCodes": .number(String(user.recoveryCodes.count)),
        "passkeys": .array(user.passkeys.map(\.json)),
      ])
    )
  }

  @Sendable
  private func makeRecoveryCodes(
    _ request: ServiceRequest,
    _ holder: SignedInAdministrator
  ) async throws -> ServiceResponse {
    let password = try await ConsoleBody(request).required("password")
    let codes = try await noting("recovery codes", request, holder) { administrators in
      try administrators.prove(password, of: holder, from: request.address)
      return try administrators.makeRecoveryCodes(of: holder)
    }
    return .private(.object(["codes": .array(codes.map(JSONValue.string))]))
  }

  @Sendable
  private func challenge(
    _ request: ServiceRequest,
    _ holder: SignedInAdministrator
  ) async throws -> ServiceResponse {
    let password = try await ConsoleBody(request).required("password")
    let party = try environment.relyingParty(request)
    let administrators = environment.administrators
    let user = try await environment.blocking {
      try administrators.prove(password, of: holder, from: request.address)
      return try administrators.user(of: holder)
    }
    return .private(
      .object([
        "challenge": .string(administrators.passkeyChallenge(for: holder)),
        "host": .string(party.host), "user": .string(Base64.url(Array(holder.uid.string.utf8))),
        "known": .array(user.passkeys.map { .string(Base64.url($0.id)) }),
      ])
    )
  }

  @Sendable
  private func addPasskey(
    _ request: ServiceRequest,
    _ holder: SignedInAdministrator
  ) async throws -> ServiceResponse {
    let body = try await ConsoleBody(request)
    let registration = PasskeyRegistration(
      clientData: try body.bytes("clientData"),
      attestation: try body.bytes("attestation"),
      name: try body.required("name")
    )
    let party = try environment.relyingParty(request)
    try await noting("passkey added", request, holder) { administrators in
      try administrators.addPasskey(registration, of: holder, at: party)
    }
    return .private(.object([JSONValue.Member]()))
  }

  @Sendable
  private func removePasskey(
    _ request: ServiceRequest,
    _ holder: SignedInAdministrator
  ) async throws -> ServiceResponse {
    let id = request.parameters["passkey"].flatMap { Base64.decode($0) } ?? []
    try await noting("passkey removed", request, holder) { administrators in
      try administrators.removePasskey(id, of: holder.uid)
    }
    return .private(.object([JSONValue.Member]()))
  }

  private func noting<R: Sendable>(
    _ action: String,
    _ request: ServiceRequest,
    _ holder: SignedInAdministrator,
    _ work: @escaping @Sendable (Administrators) throws -> R
  ) async throws -> R {
    try await SessionAudit(environment: environment).noting(action, request, of: holder.email) {
      (try work($0), holder.email)
    }
  }

  /// Never UNAUTHENTICATED: the session is valid, even if the input is wrong.
  private static func error(_ error: AccountError) -> ServiceError {
    switch error.code {
    case .tooManyAttempts:
      ServiceError(.resourceExhausted, "Too many attempts. Try again later.", cause: error)
    case .secondFactorLimitExceeded:
      ServiceError(
        .failedPrecondition,
        "The account already has the maximum number of passkeys.",
        cause: error
      )
    case .duplicateRawID:
      ServiceError(.alreadyExists, "This passkey is already registered.", cause: error)
    case .secondFactorNotFound:
      ServiceError(.notFound, "The passkey does not exist.", cause: error)
    default: ServiceError(.invalidArgument, "The password is wrong.", cause: error)
    }
  }
}

extension Passkey {
  fileprivate var json: JSONValue {
    .object([
      "id": .string(Base64.url(id)), "name": .string(name), "host": .string(host),
      "createdAt": .number(String(createdAt)),
      "lastUsedAt": lastUsedAt.map { .number(String($0)) } ?? .null,
    ])
  }
}
