import HTTPTypes

/// A response that is there as a whole: what memory gives at once.
package struct MemoryAnswer: Sendable {
  /// The status and headers, with `Content-Length` among them.
  package let head: PreparedHead
  /// The whole body, as long as the head says.
  package let body: [UInt8]

  /// A response of those parts; the head says how long the body is.
  package init(_ head: PreparedHead, body: [UInt8]) {
    self.head = head
    self.body = body
  }

  /// The answer that a response is; nil where its body is not there yet.
  package init?(_ response: ServiceResponse) {
    guard case .bytes(let bytes) = response.body else { return nil }
    var headers = response.headers
    if headers[.contentLength] == nil { headers[.contentLength] = String(bytes.count) }
    self.init(PreparedHead(status: response.status, headers: headers), body: bytes)
  }
}

/// A status and headers with their form in HTTP/1.1, made once for many responses.
package final class PreparedHead: Sendable {
  /// The status of every response that has this head.
  package let status: HTTPResponse.Status
  /// The header fields in the order in which `bytes` has them.
  package let headers: HTTPFields
  /// The status line and a line for each header, without the empty line at the end.
  package let bytes: [UInt8]

  /// The head of a response whose length is among the headers.
  package init(status: HTTPResponse.Status = .ok, headers: HTTPFields) {
    self.status = status
    self.headers = headers
    var text = "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n"
    for field in headers { text += "\(field.name.rawName): \(field.value)\r\n" }
    bytes = Array(text.utf8)
  }
}
