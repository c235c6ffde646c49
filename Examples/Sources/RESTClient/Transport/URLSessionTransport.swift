import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The transport of the apps: Foundation's `URLSession`, on Apple's systems and on Linux alike.
///
/// It keeps neither cookies nor a cache. Cancelling the task cancels the request.
package struct URLSessionTransport: Transport {
  /// One session for the process, so that connections are shared.
  package static let shared = URLSessionTransport()

  private let session: URLSession

  package init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    session = URLSession(configuration: configuration)
  }

  package func send(_ request: HTTPRequest) async throws -> HTTPReply {
    do {
      let (body, response) = try await session.data(for: URLRequest(request))
      guard let response = response as? HTTPURLResponse else {
        throw RequestError(.transport, detail: "not an HTTP reply")
      }
      return HTTPReply(status: response.statusCode, headers: response.lowercased, body: body)
    } catch let error as URLError {
      throw RequestError(error)
    }
  }
}

extension RequestError {
  fileprivate init(_ error: URLError) {
    let code: Code =
      switch error.code {
      case .timedOut: .timedOut
      case .cancelled: .cancelled
      default: .transport
      }
    self.init(code, detail: error.localizedDescription)
  }
}

extension URLRequest {
  fileprivate init(_ request: HTTPRequest) {
    self.init(url: request.url)
    httpMethod = request.method.rawValue
    httpBody = request.body
    timeoutInterval = request.timeout / .seconds(1)
    for (name, value) in request.headers { setValue(value, forHTTPHeaderField: name) }
  }
}

extension HTTPURLResponse {
  fileprivate var lowercased: [String: String] {
    var headers: [String: String] = [:]
    for case let (name as String, value as String) in allHeaderFields {
      headers[name.lowercased()] = value
    }
    return headers
  }
}
