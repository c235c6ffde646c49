import BaseJSON
import BaseStatus
import BaseText
import FirestoreWire
import HTTPTypes
import PushMessaging
import ServiceModule

/// The legacy form of sending, with a server key.
///
///     POST /fcm/send    JSON, or a form, with Authorization: key=<server key>
struct LegacyRoutes: Sendable {
  let environment: MessagingEnvironment

  private static let bodyLimit = 1 << 20

  private var service: PushService { environment.service }

  var routes: [HTTPRoute] {
    [HTTPRoute(.post, RoutePattern("/fcm/send"), for: .administrators, handler: send)]
  }

  private func send(_ request: ServiceRequest) async throws -> ServiceResponse {
    guard let project = try await project(of: request) else {
      return .text("Unauthorized: the server key is not valid.\n", status: .unauthorized)
    }
    do {
      let json: JSONValue
      do {
        json = try await body(of: request)
      } catch let error as ServiceError where error.code == .invalidArgument {
        return .text("JSON_PARSING_ERROR: \(error.message)\n", status: .badRequest)
      }
      let message = try LegacyMessage(json, now: service.now)
      return try await send(message, from: project)
    } catch let error as MessagingError {
      request.logger.requestFailed(error.firestoreError)
      let isOurs = error.code == .unavailable || error.code == .internal
      var response = ServiceResponse.text(
        "\(error.message)\n",
        status: isOurs ? .serviceUnavailable : .badRequest
      )
      if isOurs { response.headers[.retryAfter] = "10" }
      return response
    }
  }

  private func body(of request: ServiceRequest) async throws -> JSONValue {
    let bytes = try await request.collectText(upTo: Self.bodyLimit)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ServiceError.invalidArgument("The text is not valid UTF-8.")
    }
    let type = request.headers[.contentType]?.lowercased() ?? ""
    return type.hasPrefix("application/x-www-form-urlencoded")
      ? try LegacyForm.json(text) : try JSONValue(parsing: text)
  }

  /// The project of the request's server key; nil where it is no key.
  private func project(of request: ServiceRequest) async throws -> Text? {
    let header = request.context.authorization ?? ""
    guard header.hasPrefix("key=") else { return nil }
    let key = String(header.dropFirst(4))
    guard !key.isEmpty else { return nil }
    if let project = try await service.project(ofServerKey: key) { return project }
    return environment.takesAnyServerKey ? Text(key) : nil
  }

  private func send(_ message: LegacyMessage, from project: Text) async throws -> ServiceResponse {
    switch message.target {
    case .failure(let error): return .json(.object(Self.members(error)))
    case .success(.everyone(let recipient)):
      do {
        let id = try await send(message, to: recipient, from: project)
        return .json(.object([.init("message_id", id)]))
      } catch let error as MessagingError where error.code == .invalidArgument {
        return .json(.object(Self.members(error)))
      }
    case .success(.tokens(let tokens)): return try await send(message, to: tokens, from: project)
    }
  }

  /// The id of a message to a topic is a number in this form.
  private func send(
    _ message: LegacyMessage,
    to recipient: OutgoingMessage.Recipient,
    from project: Text
  ) async throws -> JSONValue {
    let outgoing = try OutgoingMessage(to: recipient, message.content.get())
    guard !message.isTrial else {
      _ = try await service.check(outgoing, from: project)
      return .integer(-1)
    }
    let id = try await service.send(outgoing, from: project, origin: "legacy")
    return .integer(StoredMessage.id(of: id) ?? 0)
  }

  /// One result for each token, in their order; all are sent at the same time, so that they share their syncs.
  private func send(
    _ message: LegacyMessage,
    to tokens: [String],
    from project: Text
  ) async throws -> ServiceResponse {
    let results = try await withThrowingTaskGroup(
      of: (Int, Result<String, MessagingError>).self
    ) { group in
      for (index, token) in tokens.enumerated() {
        group.addTask { (index, try await result(message, to: token, from: project)) }
      }
      var results = [Result<String, MessagingError>?](repeating: nil, count: tokens.count)
      for try await (index, result) in group { results[index] = result }
      return results.compactMap(\.self)
    }
    let failures = results.count { if case .failure = $0 { true } else { false } }
    let list = results.map { result in
      switch result {
      case .success(let id): JSONValue.object([.init("message_id", .string(id))])
      case .failure(let error): JSONValue.object(Self.members(error))
      }
    }
    return .json(
      .object([
        .init("multicast_id", .integer(service.now)),
        .init("success", .integer(results.count - failures)),
        .init("failure", .integer(failures)), .init("canonical_ids", .integer(0)),
        .init("results", .array(list)),
      ])
    )
  }

  private func result(
    _ message: LegacyMessage,
    to token: String,
    from project: Text
  ) async throws -> Result<String, MessagingError> {
    do {
      let outgoing = try OutgoingMessage(to: .token(token), message.content.get())
      if let name = message.packageName { try await requirePackage(name, of: token, in: project) }
      let id =
        message.isTrial
        ? try await service.check(outgoing, from: project)
        : try await service.send(outgoing, from: project, origin: "legacy")
      return .success(id)
    } catch let error as MessagingError {
      return .failure(error)
    }
  }

  /// Throws where a token's app is known to have another package; of clients of the web and of our own none is known.
  private func requirePackage(_ name: String, of token: String, in project: Text) async throws {
    let known = try await service.registration(of: token, in: project)
    guard case .apns(_, _, let bundle) = known.address, bundle != name else { return }
    let message = "The token belongs to the app \(bundle)."
    throw MessagingError.invalid("restricted_package_name", message, .packageName)
  }

  private static func members(_ error: MessagingError) -> [JSONValue.Member] {
    let word =
      switch error.code {
      case .invalidArgument: error.kind.rawValue
      case .unregistered: "NotRegistered"
      case .senderIDMismatch: "MismatchSenderId"
      case .quotaExceeded: "DeviceMessageRateExceeded"
      case .unavailable: "Unavailable"
      case .internal: "InternalServerError"
      case .thirdPartyAuthError: "InvalidApnsCredential"
      }
    return [.init("error", .string(word))]
  }
}

/// The legacy form as a web form: the members' names with dots between levels.
enum LegacyForm {
  static func json(_ text: String) throws(ServiceError) -> JSONValue {
    let parameters = try QueryParameters(text).parameters
    var members: [JSONValue.Member] = []
    var data: [JSONValue.Member] = []
    for (name, value) in parameters {
      if name.hasPrefix("data.") {
        data.append(.init(String(name.dropFirst(5)), .string(value)))
      } else if name == "registration_id" {
        members.append(.init("to", .string(value)))
      } else {
        members.append(.init(name, .string(value)))
      }
    }
    if !data.isEmpty { members.append(.init("data", .object(data))) }
    return .object(members)
  }
}
