import Foundation

/// Why a call has no result.
///
/// `serverMessage` is what the service itself said, found in whichever shape it used; it is meant
/// for people. `detail` is for the log.
package struct RequestError: Error, Sendable, Equatable {
  package enum Code: Sendable, Equatable {
    /// The endpoint and the base URL make no URL.
    case invalidURL
    /// No reply: refused, reset, no route, name unknown.
    case transport
    case timedOut
    case cancelled
    /// A success whose body is not what the endpoint promises.
    case decode
    /// 401, after the one refresh that was possible.
    case unauthorized
    /// Any other 4xx.
    case refused
    /// A 5xx.
    case server
    /// A status outside 200...599.
    case unexpected
  }

  package let code: Code
  package let status: Int?
  package let serverMessage: String?
  package let detail: String?

  package init(
    _ code: Code,
    status: Int? = nil,
    serverMessage: String? = nil,
    detail: String? = nil
  ) {
    self.code = code
    self.status = status
    self.serverMessage = serverMessage
    self.detail = detail
  }

  /// The error that a reply without success stands for.
  init(_ reply: HTTPReply) {
    let code: Code =
      switch reply.status {
      case 401: .unauthorized
      case 400...499: .refused
      case 500...599: .server
      default: .unexpected
      }
    self.init(code, status: reply.status, serverMessage: ServerMessage.text(in: reply))
  }

  /// True if the same call may succeed later without anything being changed in it: no reply at all,
  /// 408, 429 and every 5xx.
  package var isTemporary: Bool {
    switch code {
    case .transport, .timedOut, .cancelled, .server: true
    case .refused: status == 408 || status == 429
    case .invalidURL, .decode, .unauthorized, .unexpected: false
    }
  }
}
