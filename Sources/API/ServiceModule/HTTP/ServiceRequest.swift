import Access
import BaseStatus
import BaseText
import HTTPTypes
import Logging

/// An HTTP request on its way to a service's handler.
package struct ServiceRequest: Sendable {
  /// The method, path and header fields; HEAD is GET where the route has no HEAD of its own.
  package let head: HTTPRequest
  /// The values that the path has for the pattern's variables, decoded.
  package let parameters: [String: String]
  /// The segments that a pattern's `{path=**}` took, decoded.
  package let rest: [String]
  /// The circumstances by which access is decided; its cancellation goes up when the client went away.
  package let context: CallContext
  /// The client's IP address, by which attempts are counted; empty where there is none.
  package let address: String
  /// True if the connection speaks HTTP/2.
  package let isHTTP2: Bool
  /// Logs with the request's id.
  package let logger: Logger
  /// The body as it arrives; it can be read once.
  package let body: ServiceBody
  /// The memory that the request holds beside its bytes.
  let leases = HeldLeases()

  /// A request's parts.
  package init(
    head: HTTPRequest,
    parameters: [String: String],
    rest: [String],
    context: CallContext,
    address: String,
    isHTTP2: Bool,
    logger: Logger,
    body: ServiceBody
  ) {
    self.head = head
    self.parameters = parameters
    self.rest = rest
    self.context = context
    self.address = address
    self.isHTTP2 = isHTTP2
    self.logger = logger
    self.body = body
  }

  /// The project that the path names at the variable `{project}`; nil where its pattern has none.
  package var project: Text? { parameters["project"].map { Text($0) } }

  /// The method of `head`.
  package var method: HTTPRequest.Method { head.method }
  /// The header fields of `head`, without trailers.
  package var headers: HTTPFields { head.headerFields }

  /// The path as it came, not decoded, without the query.
  package var path: String {
    let path = (head.path ?? "/").utf8
    return String(Substring(path.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }))
  }

  /// The part of the path that follows the question mark, not decoded; nil without one.
  package var query: String? {
    let path = (head.path ?? "").utf8.prefix { $0 != UInt8(ascii: "#") }
    guard let mark = path.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    return String(Substring(path[path.index(after: mark)...]))
  }
}

extension Logger {
  /// Logs an error with which a request ended, where it is ours to repair.
  package func requestFailed(_ error: ServiceError) {
    switch error.code {
    case .internalError, .unknown,
      .unavailable where error.cause != nil:
      self.error(
        "request failed",
        metadata: [
          "code": "\(error.code.name)", "message": "\(error.message)",
          "cause": error.cause.map { "\($0)" } ?? "none",
        ]
      )
    default: break
    }
  }
}
