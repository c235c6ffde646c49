import BaseStatus
import FirestoreWire
import NIOHTTP1

/// A fault for which a request is refused before anybody looks at what it asks for.
///
/// Such requests mean one thing to one server and another thing to a proxy before it (RFC 9112, sections 3.2, 6.1 and 6.3).
struct HTTP1Fault {
  let status: HTTPResponseStatus
  let message: String
  /// True for a refused HEAD, whose response has no body.
  let isHead: Bool

  /// The fault of bytes that the decoder does not take for a request.
  static let malformed = HTTP1Fault(
    status: .badRequest,
    message: "The request is not well-formed HTTP.",
    isHead: false
  )

  private init(status: HTTPResponseStatus, message: String, isHead: Bool) {
    self.status = status
    self.message = message
    self.isHead = isHead
  }

  /// The fault of a request; nil for a sound one.
  init?(of request: HTTPRequestHead) {
    guard let (status, message) = Self.fault(of: request) else { return nil }
    self.init(status: status, message: message, isHead: request.method == .HEAD)
  }

  private static func fault(of request: HTTPRequestHead) -> (HTTPResponseStatus, String)? {
    guard request.version == .http1_1 || request.version == .http1_0 else {
      return (.httpVersionNotSupported, "The server speaks HTTP/1.1 and HTTP/2.")
    }
    let hosts = request.headers["host"]
    if hosts.count > 1 { return (.badRequest, "The request has more than one Host field.") }
    if hosts.isEmpty, request.version == .http1_1 {
      return (.badRequest, "The request has no Host field.")
    }
    if let host = hosts.first, !isHost(host) {
      return (.badRequest, "The request's Host field is not a host name or address.")
    }
    return transferFault(of: request)
  }

  private static func transferFault(
    of request: HTTPRequestHead
  ) -> (HTTPResponseStatus, String)? {
    let codings = request.headers[canonicalForm: "transfer-encoding"].map { $0.lowercased() }
    if codings.isEmpty { return nil }
    if request.version == .http1_0 {
      return (.badRequest, "HTTP/1.0 does not support transfer encodings.")
    }
    if codings != ["chunked"] {
      return (.notImplemented, "The only supported transfer encoding is chunked.")
    }
    return nil
  }

  /// Checks that a Host field has nothing but the characters of names, addresses and ports; an empty one is for targets without a
  /// host.
  static func isHost(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-._~:[]%!$&'()*+;=".utf8.contains(byte)
      }
    }
  }

  /// The head of the refusal, with which the connection ends.
  var head: HTTPResponseHead {
    HTTPResponseHead(
      version: .http1_1,
      status: status,
      headers: [
        "connection": "close", "content-type": "application/json; charset=UTF-8",
        "content-length": String(body.count),
      ]
    )
  }

  /// Google's JSON of the refusal.
  var body: [UInt8] {
    let code: StatusCode = status == .badRequest ? .invalidArgument : .unimplemented
    return RESTError.body(ServiceError(code, message), status: Int(status.code))
  }
}
