import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The server's APIs for a function, with the rights of an administrator of its project.
///
/// ```swift
/// let server = try ServerAPI()
/// let order = try await server.call(
///   "GET", "/v1/projects/\(server.project)/databases/(default)/documents/orders/3", as: Order.self)
/// ```
public struct ServerAPI: Sendable {
  /// The function's project.
  public let project: String
  private let base: String

  /// A refusal of the server.
  public struct Refusal: Error, Sendable {
    /// The HTTP status of the response.
    public let status: Int
    /// The body of the response.
    public let body: String
  }

  /// The server that runs this function.
  ///
  /// - Throws: ``FunctionError`` outside of a function.
  public init() throws {
    let environment = ProcessInfo.processInfo.environment
    guard let host = environment["FIRESTORE_EMULATOR_HOST"],
      let project = environment["GCLOUD_PROJECT"]
    else {
      throw FunctionError(
        .failedPrecondition,
        "This program was not started by a server as a function."
      )
    }
    self.project = project
    base = "http://\(host)"
  }

  /// Sends a request with a body of JSON and decodes the response.
  ///
  /// - Throws: ``Refusal`` for a response that is no success.
  public func call<Reply: Decodable>(
    _ method: String,
    _ path: String,
    body: (any Encodable & Sendable)? = nil,
    as type: Reply.Type = Reply.self
  ) async throws -> Reply {
    guard let url = URL(string: base + path) else {
      throw FunctionError(.invalidArgument, "\(path) is no path.")
    }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.setValue("Bearer owner", forHTTPHeaderField: "Authorization")
    if let body {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = try JSONEncoder().encode(body)
    }
    let (data, response) = try await URLSession.shared.data(for: request)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard (200..<300).contains(status) else {
      throw Refusal(status: status, body: String(decoding: data, as: UTF8.self))
    }
    return try JSONDecoder().decode(type, from: data)
  }
}
