import FirebaseCore
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Firebase's protocol for files over HTTP, for one bucket.
struct StorageBackend: Sendable {
  let app: FirebaseApp
  /// The server, without a slash at the end.
  let base: String
  let bucket: String
  let clock: StorageClock

  /// A request for an object, or for the bucket's objects where the name is empty.
  func request(
    _ method: String,
    _ object: String = "",
    query: [(String, String)] = []
  ) throws(StorageError) -> URLRequest {
    var text = "\(base)/v0/b/\(URLText.encode(bucket))/o"
    if !object.isEmpty { text += "/\(URLText.encode(object))" }
    if !query.isEmpty {
      text += "?" + query.map { "\($0.0)=\(URLText.encode($0.1))" }.joined(separator: "&")
    }
    return try Self.request(method, text)
  }

  static func request(_ method: String, _ url: String) throws(StorageError) -> URLRequest {
    guard let url = URL(string: url) else {
      throw .internalError(message: "\(url) is no URL.")
    }
    var request = URLRequest(url: url)
    request.httpMethod = method
    return request
  }

  /// Sends a request with the credentials of the signed-in user until it has a final response.
  ///
  /// A token that the server refuses is renewed once. Throws the error of a refusal.
  func send(
    _ request: URLRequest,
    body: Data? = nil,
    object: String,
    for retryTime: TimeInterval
  ) async throws -> HTTPAnswer {
    var retry = Retry(limit: retryTime, clock: clock)
    let answer = try await attempt(&retry, body == nil ? 16 << 20 : 1 << 20) { limit in
      try await authorizedAnswer(to: request, body: body, limit: limit)
    }
    guard answer.isSuccess else { throw StorageError(answer, bucket: bucket, object: object) }
    return answer
  }

  private func attempt(
    _ retry: inout Retry,
    _ limit: Int,
    _ send: (Int) async throws -> HTTPAnswer
  ) async throws -> HTTPAnswer {
    while true {
      do {
        let answer = try await send(limit)
        guard Retry.isTransient(answer) else { return answer }
      } catch {
        guard Retry.isTransient(error) else { throw error }
      }
      try await retry.wait()
    }
  }

  /// Sends a request once, and again with a new token where the token was refused.
  func authorizedAnswer(
    to request: URLRequest,
    body: Data? = nil,
    limit: Int,
    traffic: @escaping @Sendable (HTTPTraffic) -> Void = { _ in }
  ) async throws -> HTTPAnswer {
    let (first, hasToken) = try await authorized(request, forcingRefresh: false)
    let answer = try await HTTPClient.shared.answer(
      to: first,
      body: body,
      limit: limit,
      traffic: traffic
    )
    guard answer.status == 401, hasToken else { return answer }
    let (second, _) = try await authorized(request, forcingRefresh: true)
    return try await HTTPClient.shared.answer(
      to: second,
      body: body,
      limit: limit,
      traffic: traffic
    )
  }

  private func authorized(
    _ request: URLRequest,
    forcingRefresh: Bool
  ) async throws -> (URLRequest, hasToken: Bool) {
    var request = request
    request.setValue(app.options.googleAppID, forHTTPHeaderField: "X-Firebase-GMPID")
    request.setValue(
      "swift/brasa/\(FirebaseVersion())",
      forHTTPHeaderField: "X-Firebase-Storage-Version"
    )
    // As Google's: a token that others can read is theirs.
    guard let url = request.url, ServiceAddress.isPrivate(url),
      let token = try await token(forcingRefresh: forcingRefresh)
    else { return (request, false) }
    request.setValue("Firebase \(token)", forHTTPHeaderField: "Authorization")
    return (request, true)
  }

  private func token(forcingRefresh: Bool) async throws -> String? {
    do {
      return try await app.credentials?.token(forcingRefresh: forcingRefresh)
    } catch {
      if error is CancellationError || Retry.isTransient(error) { throw error }
      let cause = error as NSError
      throw StorageError.unauthenticated(serverError: [
        "ResponseErrorDomain": cause.domain, "ResponseErrorCode": cause.code,
        "ResponseBody": cause.localizedDescription,
      ])
    }
  }
}

/// Text within URLs.
enum URLText {
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
  )

  /// Escapes everything that means something in a URL, slashes too.
  static func encode(_ text: String) -> String {
    // Every text can be escaped.
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
  }
}
