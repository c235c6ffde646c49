import Access
import Authentication
import BaseJSON
import BaseRuntime
import FirestoreWire
import HTTPTypes
import KeyValueStore
import Logging
import ServiceModule

extension ServiceModule {
  /// Google's account APIs: identitytoolkit in its versions 1, 2 and 3, securetoken, the keys' documents,
  /// the emulator's helper routes, and the pages that links in mail lead to.
  ///
  /// The routes are listed in `IdentityRoute`. Blocking calls run on `threads`, which serve nothing else.
  package static func accounts(
    _ environment: IdentityEnvironment,
    threads: EngineThreads
  ) -> ServiceModule {
    let routes = IdentityRoutes(IdentityService(environment: environment, threads: threads))
    var module = ServiceModule("accounts")
    module.hosts = IdentityRoute.hosts
    module.fallback = { request in await routes.answer(.unknown, request) }
    module.routes = IdentityRoute.paths(isDevelopment: environment.isDevelopment).map { path in
      HTTPRoute(path.methods, path.pattern, for: path.audience) { request in
        await routes.answer(path.route(request.parameters, request.rest), request)
      }.demanding { method, text in IdentityRoute.role(method, text) }
        .takingRecentSignIn { method, text in
          IdentityRoute.act(method, text)?.right.takesRecentSignIn ?? false
        }
    }
    module.metrics = {
      // One pool of threads serves all lanes.
      let figures = threads.figures(of: .reads)
      return [
        (name: "brasa_accounts_jobs_waiting", value: Double(figures.waiting)),
        (name: "brasa_accounts_threads_busy", value: Double(figures.busy)),
        (name: "brasa_accounts_jobs_refused_total", value: Double(figures.refused)),
      ]
    }
    return module
  }
}

/// Reads requests and answers them, errors in the words of the account APIs too.
private struct IdentityRoutes: Sendable {
  private let service: IdentityService

  /// The largest body; an import of a thousand users with everything they may have stays below.
  private static let bodyLimit = 16 << 20
  /// The largest body of a request that needs no administrator.
  private static let clientBodyLimit = 256 << 10

  init(_ service: IdentityService) { self.service = service }

  func answer(_ route: IdentityRoute, _ request: ServiceRequest) async -> ServiceResponse {
    do {
      return try await perform(route, request).response
    } catch is ServiceBody.TooLarge {
      return IdentityFailure(status: .contentTooLarge, message: "Request payload is too large.")
        .response
    } catch {
      if (error as? AccountError)?.code == .tooManyAttempts {
        await service.environment.holdRefusal()
      }
      if let failure = error as? OAuthFailure { return failure.response }
      let failure = IdentityFailure(error)
      if failure == nil || error is KeyValueError {
        request.logger.error(
          "an accounts request failed",
          metadata: ["error": "\(Self.cause(error))"]
        )
      }
      return (failure ?? .internalError).response
    }
  }

  /// Returns the cause of a failure for the log: never the request.
  private static func cause(_ error: any Error) -> String {
    guard let error = error as? AccountError else { return "\(error)" }
    return "\(error.code.rawValue): \(error.cause.map { "\($0)" } ?? error.detail ?? "")"
  }

  private func perform(
    _ route: IdentityRoute,
    _ request: ServiceRequest
  ) async throws -> IdentityAnswer {
    var envelope = IdentityEnvelope(
      method: request.method,
      query: try QueryParameters(request.query),
      context: request.context,
      address: request.address,
      authority: request.head.authority,
      apiKey: request.headers[.googleAPIKey],
      locale: request.headers[.firebaseLocale] ?? request.headers[.acceptLanguage],
      logger: request.logger
    )
    if route == .page("handler"), envelope.method == .post {
      let body = try await request.collectText(upTo: IdentityService.returnLimit)
      return try service.postedReturn(Self.json(body, type: request.headers[.contentType]))
    }
    if envelope.isPlainPage(route) { return try await service.page(route, envelope) }
    let caller = try await service.caller(
      envelope.context,
      of: route,
      changes: envelope.method != .get && envelope.method != .head
    )
    envelope.isAdministrator =
      route.project.map { caller.administers($0) } ?? (caller == .administrator)
    envelope.mayReadHashes = envelope.isAdministrator && request.context.actor?.administrator == nil
    let limit = envelope.isAdministrator ? Self.bodyLimit : Self.clientBodyLimit
    let body = try await request.collectText(upTo: limit)
    envelope.body = try Self.json(body, type: request.headers[.contentType])
    return try await service.perform(route, envelope)
  }

  /// The body as JSON; a form becomes an object of texts, nothing an empty one.
  private static func json(_ body: [UInt8], type: String?) throws -> JSONValue {
    if type?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true {
      guard let text = String(validating: body, as: UTF8.self) else {
        throw IdentityFailure.invalid("The form is not valid UTF-8.")
      }
      return .object(
        try FormFields(text).fields.map { .init($0.name, .string($0.value)) }
      )
    }
    if body.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
      return .object([JSONValue.Member]())
    }
    return try JSONParser.parse(body)
  }
}
