import Access
import Authentication
import FirestoreModel
import FirestoreService
import FirestoreWire
import HTTPTypes
import Hummingbird
import KeyValueStore
import Logging
import NIOCore

/// Google's account APIs: identitytoolkit in its versions 1, 2 and 3, securetoken, the keys' documents,
/// the emulator's helper routes, and the pages that links in mail lead to.
///
/// The routes are listed in `IdentityRoute`.
package struct IdentityFeature: HTTPFeature {
  private let service: IdentityService
  private let threads: EngineThreads

  /// The largest body; an import of a thousand users with everything they may have stays below.
  private static let bodyLimit = 16 << 20
  /// The largest body of a request that needs no administrator.
  private static let clientBodyLimit = 256 << 10

  /// Serves those accounts; blocking calls run on `threads`, which serve nothing else.
  package init(_ environment: IdentityEnvironment, threads: EngineThreads) {
    self.threads = threads
    service = IdentityService(environment: environment, threads: threads)
  }

  package func claim(_ method: HTTPRequest.Method, _ path: String) -> Handler? {
    guard
      let route = IdentityRoute(path: path, isDevelopment: service.environment.isDevelopment)
    else { return nil }
    return { request, context in await self.answer(route, request, context) }
  }

  private func answer(
    _ route: IdentityRoute,
    _ request: Request,
    _ context: GatewayRequestContext
  ) async -> Response {
    do {
      return try await perform(route, request, context).response
    } catch is NIOTooManyBytesError {
      return IdentityFailure(status: .contentTooLarge, message: "Request payload is too large.")
        .response
    } catch {
      if let failure = error as? OAuthFailure { return failure.response }
      if let failure = IdentityFailure(error) { return failure.response }
      context.logger.error("an account call failed", metadata: ["error": "\(Self.cause(error))"])
      return IdentityFailure.internalError.response
    }
  }

  /// What the log may say of a failure: never the request.
  private static func cause(_ error: any Error) -> String {
    guard let error = error as? AccountError else { return "\(error)" }
    return "\(error.code.rawValue): \(error.cause.map { "\($0)" } ?? error.detail ?? "")"
  }

  private func perform(
    _ route: IdentityRoute,
    _ request: Request,
    _ context: GatewayRequestContext
  ) async throws -> IdentityAnswer {
    var envelope = IdentityEnvelope(
      method: request.method,
      query: try QueryParameters(request.uri.query),
      context: context.call(request),
      address: context.peerAddress,
      apiKey: request.headers[.googleAPIKey],
      locale: request.headers[.firebaseLocale] ?? request.headers[.acceptLanguage],
      logger: context.logger
    )
    if envelope.isPlainPage(route) { return try await service.page(route, envelope) }
    let caller = try await service.caller(envelope.context, of: route)
    envelope.isAdministrator = caller == .administrator
    let limit = envelope.isAdministrator ? Self.bodyLimit : Self.clientBodyLimit
    let body = Array(buffer: try await request.body.collect(upTo: limit))
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
        try FormFields(text).fields.map { .init(name: $0.name, value: .string($0.value)) }
      )
    }
    if body.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
      return .object([JSONValue.Member]())
    }
    return try JSONParser.parse(body)
  }
}

/// A request before its operation has read it.
struct IdentityEnvelope: Sendable {
  let method: HTTPRequest.Method
  let query: QueryParameters
  let context: CallContext
  let address: String
  /// The header `x-goog-api-key`.
  let apiKey: String?
  /// The language that the client asks for.
  let locale: String?
  /// For what goes wrong beside the answer.
  let logger: Logger
  var isAdministrator = false
  var body = JSONValue.object([JSONValue.Member]())

  func parameter(_ name: String) -> String? {
    query.parameters.first { $0.name == name }?.value
  }

  func isPlainPage(_ route: IdentityRoute) -> Bool {
    if case .page = route { true } else { false }
  }
}

/// The fields of a posted form or of a URL's fragment or query.
struct FormFields: Sendable {
  let fields: [(name: String, value: String)]

  /// Reads `a=b&c=d`.
  init(_ text: some StringProtocol) throws {
    fields = try text.split(separator: "&").map { part in
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(Substring(halves[0]), plusIsSpace: true),
        let value = PercentEncoding.decode(
          halves.count > 1 ? Substring(halves[1]) : "",
          plusIsSpace: true
        )
      else { throw IdentityFailure.invalid("A malformed escape in a form.") }
      return (name, value)
    }
  }

  subscript(name: String) -> String? {
    fields.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
  }
}

extension HTTPField.Name {
  /// The field `x-goog-api-key`.
  static let googleAPIKey = named("x-goog-api-key")
  /// The field `x-firebase-locale`.
  static let firebaseLocale = named("x-firebase-locale")

  /// The name; for literals, which are names.
  private static func named(_ name: String) -> HTTPField.Name {
    guard let field = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
    return field
  }
}
