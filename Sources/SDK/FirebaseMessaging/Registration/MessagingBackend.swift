import FirebaseCore
import FirebaseInstallations
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The routes of registrations over HTTP.
struct MessagingBackend: Sendable {
  /// The server knows no such registration.
  struct Unregistered: Error {}

  /// The server wants to be asked later.
  struct Busy: Error {}

  private struct Registration: Decodable {
    let token: String
  }

  private static let timeout: TimeInterval = 30

  let options: FirebaseOptions
  let installations: Installations
  let device: MessagingDevice

  /// Registers the installation, at Apple's address or for the direct stream; returns its token.
  ///
  /// - Parameter idToken: A token of the user whose registration it is; nil is nobody's.
  func register(
    _ address: MessagingState.AppleAddress?,
    idToken: String?
  ) async throws -> String {
    let data = try await send("POST", "registrations", body(address), idToken: idToken)
    guard let answer = try? JSONDecoder().decode(Registration.self, from: data) else {
      throw MessagingError.error(.unknown, "The server's response has no token.")
    }
    return answer.token
  }

  /// Tells the server that a registration is as before, and whose it is.
  func renew(
    _ token: String,
    _ address: MessagingState.AppleAddress?,
    idToken: String?
  ) async throws {
    _ = try await send("PATCH", "registrations/\(token)", body(address), idToken: idToken)
  }

  private func body(_ address: MessagingState.AppleAddress?) -> [String: Any] {
    guard let address else { return ["direct": device.directMembers] }
    var members = device.appMembers
    members["apns_token"] = address.token
    members["apns_environment"] = address.environment
    members["bundle_id"] = options.bundleID
    return ["ios": members]
  }

  /// Has the server forget a registration.
  func delete(_ token: String) async throws {
    do {
      _ = try await send("DELETE", "registrations/\(token)", nil)
    } catch is Unregistered {}
  }

  /// Subscribes to a topic, or no more.
  func change(_ topic: String, isSubscription: Bool, token: String) async throws {
    let verb = isSubscription ? "subscribe" : "unsubscribe"
    let name = topic.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? topic
    _ = try await send("POST", "registrations/\(token)/topicSubscriptions/\(name):\(verb)", [:])
  }

  /// Reports received messages; without any, it is a ping.
  func acknowledge(_ token: String, _ receipts: Receipts) async throws {
    var body: [String: Any] = ["token": token]
    if let sequence = receipts.sequence { body["sequence"] = "\(sequence)" }
    if !receipts.received.isEmpty { body["received"] = receipts.received }
    _ = try await send("POST", "registrations:acknowledge", body)
  }

  /// The request that opens the stream of messages.
  func streamRequest(
    _ token: String,
    after sequence: Int64,
    pingSeconds: Int
  ) async throws -> URLRequest {
    let body: [String: Any] = [
      "token": token, "acknowledged": "\(sequence)", "pingSeconds": pingSeconds,
    ]
    var request = try await request("POST", "registrations:connect", body)
    // It is silent for as long as there is no message.
    request.timeoutInterval = 86_400
    return request
  }

  private func request(
    _ method: String,
    _ path: String,
    _ body: [String: Any]?
  ) async throws -> URLRequest {
    guard let base = options.address(of: .messaging)?.url, let project = options.projectID,
      let key = options.apiKey, let url = URL(string: "\(base)/v1/projects/\(project)/\(path)")
    else {
      throw MessagingError.error(.invalidRequest, "The options have no server, project or API key.")
    }
    var request = URLRequest(url: url, timeoutInterval: Self.timeout)
    request.httpMethod = method
    request.httpBody = try body.map { try JSONSerialization.data(withJSONObject: $0) }
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue(key, forHTTPHeaderField: "X-Goog-Api-Key")
    let token = try await installationToken()
    request.setValue(token, forHTTPHeaderField: "X-Goog-Firebase-Installations-Auth")
    return request
  }

  private func installationToken() async throws -> String {
    do {
      return try await installations.authToken().authToken
    } catch let error as InstallationsErrorCode {
      throw MessagingError.error(
        error.code == .serverUnreachable ? .network : .authentication,
        "The installation has no token: \(error.localizedDescription)"
      )
    }
  }

  private func send(
    _ method: String,
    _ path: String,
    _ body: [String: Any]?,
    idToken: String? = nil
  ) async throws -> Data {
    var request = try await request(method, path, body)
    if let idToken { request.setValue("Bearer \(idToken)", forHTTPHeaderField: "Authorization") }
    let answer: HTTPAnswer
    do {
      answer = try await HTTPClient.shared.answer(to: request)
    } catch {
      if error is CancellationError { throw error }
      let isTimeout = (error as? URLError)?.code == .timedOut
      throw MessagingError.error(
        isTimeout ? .timeout : .network,
        "The server can't be reached: \(error.localizedDescription)"
      )
    }
    try Self.check(answer.status, answer.body)
    return answer.body
  }

  private static func check(_ status: Int, _ data: Data) throws {
    let text = String(decoding: data.prefix(300), as: UTF8.self)
    switch status {
    case 200..<300: return
    case 404: throw Unregistered()
    case 401: throw MessagingError.error(.authentication, "The server answered 401: \(text)")
    case 403: throw MessagingError.error(.noAccess, "The server answered 403: \(text)")
    case 408, 429, 500...: throw Busy()
    default: throw MessagingError.error(.invalidRequest, "The server answered \(status): \(text)")
    }
  }
}
