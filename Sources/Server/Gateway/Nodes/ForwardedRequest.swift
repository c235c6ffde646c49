import Access
import HTTPTypes
import ServiceModule

/// An HTTP request on its way to another node.
package struct ForwardedRequest: Sendable {
  /// The HTTP method as the client sent it, such as `GET`.
  package let method: String
  /// Path and query, with all escaped that has to be: so they stay the same on their way.
  package let target: String
  /// True if each percent sign of the target as it came begins an escape: any other percent sign
  /// would change on its way.
  package let hasSoundEscapes: Bool
  /// The fields to send, in order; those of the connection are left out.
  package private(set) var headers: [(name: String, value: String)]
  /// The body that is sent at once; empty for one that is streamed.
  package let body: [UInt8]
  /// The length of the body that is sent on as it comes.
  package private(set) var length = Length.none
  /// The context of the client.
  package let context: CallContext
  /// The client's IP address; empty where there is none.
  package let address: String

  /// A request with its body, without the headers of the connection or about the node that
  /// forwarded it.
  init(_ request: ServiceRequest, body: [UInt8]) {
    method = request.method.rawValue
    let path = request.head.path ?? "/"
    target = Self.escaped(path)
    hasSoundEscapes = !path.utf8.contains(UInt8(ascii: "%")) || !path.contains(Self.strayPercent)
    headers = request.headers.filter { !Self.left.contains($0.name.canonicalName) }
      .map { ($0.name.canonicalName, $0.value) }
    self.body = body
    context = request.context
    address = request.address
  }

  /// A target with every byte escaped that neither a path nor a query may have (RFC 3986, section 3.3), and every percent sign that
  /// escapes nothing.
  static func escaped(_ target: String) -> String {
    var bytes: [UInt8] = []
    let all = Array(target.utf8)
    for (index, byte) in all.enumerated() {
      let isEscape =
        byte == UInt8(ascii: "%") && index + 2 < all.count
        && all[index + 1...index + 2].allSatisfy { Unicode.Scalar($0).properties.isHexDigit }
      if isEscape || plain[Int(byte)] {
        bytes.append(byte)
      } else {
        bytes += Array("%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))".utf8)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static var strayPercent: Regex<Substring> { /%(?![0-9A-Fa-f]{2})/ }

  /// The bytes that stay as they are, by their values.
  private static let plain: [Bool] = {
    let bytes = Set(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?".utf8
    )
    return (0...255).map { bytes.contains($0) }
  }()

  /// A request whose body is sent on as it comes; with the host for which it was made, of which signatures and links speak.
  ///
  /// If this node's gateway admits origins, the other one is not asked to.
  package init(streaming request: ServiceRequest, decidesOrigins: Bool) {
    self.init(request, body: [])
    if !decidesOrigins { headers.removeAll { $0.name == "origin" } }
    if let host = request.head.authority { headers.append(("host", host)) }
    length = Self.length(of: request)
  }

  /// The length of a body.
  package enum Length: Sendable, Equatable {
    case none
    case known(Int64)
    case unknown
  }

  private static func length(of request: ServiceRequest) -> Length {
    // A request with a response that may have only a head; no body is allowed after it.
    guard request.method != .get, request.method != .head else { return .none }
    let said = request.headers[.contentLength].flatMap { Int64($0) }
    if let said, said > 0 { return .known(said) }
    if request.headers[.transferEncoding] != nil { return .unknown }
    guard [.post, .put, .patch].contains(request.method) else { return .none }
    return request.isHTTP2 && said == nil ? .unknown : .known(0)
  }

  private static let left: Set<String> = [
    ForwardedCaller.fieldName, "connection", "content-length", "expect", "host", "keep-alive",
    "te", "trailer", "transfer-encoding", "upgrade",
  ]
}

/// The response of another node.
package struct ForwardedResponse: Sendable {
  private let status: Int
  private let headers: [(name: String, value: String)]
  private let body: any AsyncSequence<[UInt8], any Error> & Sendable

  /// A response of those parts; its body is read at the client's pace.
  package init(
    status: Int,
    headers: [(name: String, value: String)],
    body: any AsyncSequence<[UInt8], any Error> & Sendable
  ) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The answer to a browser's stream, to which this node adds again what each gateway adds.
  var response: ServiceResponse { response { Self.kept.contains($0.name.canonicalName) } }

  /// The whole response of a service on another node, which knows its own clients.
  ///
  /// It lacks the headers of the connection, and those that this node's gateway adds again.
  package var whole: ServiceResponse { response { !Self.own.contains($0.name.canonicalName) } }

  private func response(keeping isKept: (HTTPField) -> Bool) -> ServiceResponse {
    var fields = HTTPFields()
    for (name, value) in headers {
      guard let name = HTTPField.Name(name) else { continue }
      let field = HTTPField(name: name, value: value)
      if isKept(field) { fields.append(field) }
    }
    // These have no body, and no part of one.
    if status == 204 || status == 304 {
      return ServiceResponse(status: .init(code: status), headers: fields)
    }
    let parts = ServiceBody(body)
    return ServiceResponse(
      status: .init(code: status),
      headers: fields,
      body: .stream { writer in
        for try await part in parts { try await writer.write(part) }
      }
    )
  }

  private static let own: Set<String> = [
    "alt-svc", "connection", "date", "keep-alive", "server", "strict-transport-security", "trailer",
    "transfer-encoding", "x-request-id",
  ]

  private static let kept: Set<String> = [
    "cache-control", "content-type", "x-accel-buffering", "x-client-wire-protocol",
    "x-content-type-options", "x-http-session-id",
  ]
}
