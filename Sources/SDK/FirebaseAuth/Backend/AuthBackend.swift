import FirebaseCore
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The account APIs over HTTP.
struct AuthBackend: Sendable {
  /// The part of a request that describes the app and the person's settings.
  struct Caller: Sendable {
    var apiKey: String?
    var appID: String
    var bundleID: String
    /// The server; nil is Google, with a host name of its own for each API.
    var address: ServiceAddress?
    var languageCode: String?
    var tenantID: String?
  }

  let client: HTTPClient

  /// Sends a request and reads its response; throws errors of ``AuthErrors/domain``.
  func send<Answer>(_ request: AuthRequest<Answer>, _ caller: Caller) async throws -> Answer {
    let (data, status) = try await exchange(try urlRequest(request, caller))
    guard status == 200 else { throw failure(data, status) }
    do {
      return try JSONDecoder().decode(Answer.self, from: data)
    } catch {
      throw AuthErrorCode.internalError.error(nil, [NSUnderlyingErrorKey: error as NSError])
    }
  }

  private func exchange(_ request: URLRequest) async throws -> (Data, Int) {
    do {
      let answer = try await client.answer(to: request)
      return (answer.body, answer.status)
    } catch {
      if error is CancellationError { throw error }
      throw AuthErrorCode.networkError.error(nil, [NSUnderlyingErrorKey: error as NSError])
    }
  }

  private func failure(_ data: Data, _ status: Int) -> NSError {
    if let failure = ServerFailure(body: data) { return failure.error }
    let answer = String(decoding: data.prefix(200), as: UTF8.self)
    let underlying = NSError(
      domain: AuthErrors.internalDomain,
      code: status,
      userInfo: [NSLocalizedDescriptionKey: "The server answered \(status): \(answer)"]
    )
    return AuthErrorCode.internalError.error(nil, [NSUnderlyingErrorKey: underlying])
  }

  private func urlRequest<Answer>(
    _ request: AuthRequest<Answer>,
    _ caller: Caller
  ) throws -> URLRequest {
    let base = caller.address.map { "\($0.url)/\(request.api.rawValue)" }
    var parts = URLComponents(
      string: "\(base ?? "https://\(request.api.rawValue)")/\(request.path)"
    )
    var fields = request.body
    if let tenant = caller.tenantID { fields["tenantId"] = .text(tenant) }
    parts?.queryItems = [URLQueryItem(name: "key", value: caller.apiKey ?? "")]
    if request.method == .get {
      parts?.queryItems? += fields.sorted { $0.key < $1.key }.compactMap { name, field in
        field.queryValue.map { URLQueryItem(name: name, value: $0) }
      }
    }
    guard let url = parts?.url else {
      throw AuthErrorCode.internalError.error("The server's address is malformed.")
    }
    var made = URLRequest(url: url)
    made.httpMethod = request.method.rawValue
    if request.method == .post {
      made.httpBody = try JSONEncoder().encode(fields)
      made.setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    made.setValue("Swift/Brasa/\(FirebaseVersion())", forHTTPHeaderField: "X-Client-Version")
    made.setValue(caller.appID, forHTTPHeaderField: "X-Firebase-GMPID")
    if !caller.bundleID.isEmpty {
      made.setValue(caller.bundleID, forHTTPHeaderField: "X-Ios-Bundle-Identifier")
    }
    if let language = caller.languageCode {
      made.setValue(language, forHTTPHeaderField: "X-Firebase-Locale")
    }
    return made
  }
}
