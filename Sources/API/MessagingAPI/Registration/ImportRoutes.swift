import BaseJSON
import BaseText
import HTTPTypes
import PushMessaging
import ServiceModule

/// The routes by which back ends take over device tokens of Apple's.
///
///     POST /iid/v1:batchImport    {"application": <bundle id>, "sandbox": false, "apns_tokens": […]}
///
/// The project is that of the header `x-goog-user-project`, or the server's.
struct ImportRoutes: Sendable {
  let environment: MessagingEnvironment

  private static let bodyLimit = 64 << 10
  private static let tokenLimit = 100

  var routes: [HTTPRoute] {
    [
      HTTPRoute(.post, RoutePattern("/iid/v1:batchImport"), for: .administrators) { request in
        try await importTokens(request)
      }
    ]
  }

  private func importTokens(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    do {
      let body = try await request.object(upTo: Self.bodyLimit)
      let list = body["apns_tokens"]?.elements ?? []
      let tokens = list.compactMap(\.string)
      let named = request.headers[.userProject].flatMap { $0.isEmpty ? nil : Text($0) }
      guard let bundle = body["application"]?.string, (1...255).contains(bundle.utf8.count),
        (1...Self.tokenLimit).contains(list.count), tokens.count == list.count,
        let isSandbox = (body.present("sandbox") ?? .boolean(false)).boolean,
        let project = named ?? environment.keys.defaultProject
      else { return TopicRoutes.failure("InvalidRequest", .badRequest) }
      let results = try await environment.service.importTokens(
        tokens,
        bundle: bundle,
        environment: isSandbox ? .sandbox : .production,
        into: project
      )
      let answers = zip(tokens, results).map { token, result in
        JSONValue.object([.init("apns_token", .string(token))] + Self.members(result))
      }
      return .json(.object([.init("results", .array(answers))]))
    } catch let error as MessagingError {
      request.logger.requestFailed(error.firestoreError)
      let status = HTTPResponse.Status(code: error.status.httpStatus)
      return TopicRoutes.failure(error.status.name, status)
    }
  }

  private static func members(_ result: PushService.Imported) -> [JSONValue.Member] {
    switch result {
    case .token(let token):
      [.init("status", .string("OK")), .init("registration_token", .string(token))]
    case .known: [.init("status", .string("ALREADY_REGISTERED"))]
    case .refused(let code): [.init("status", .string(code.rawValue))]
    }
  }
}

extension HTTPField.Name {
  /// The field `x-goog-user-project`, by which Google's clients name the project of a request.
  static let userProject = named("x-goog-user-project")
}
