import HTTPTypes
import Hummingbird

extension Response {
  /// The response as HTTP has it for a request of that method.
  ///
  /// HEAD gets no body, and the length that the body would have. NO CONTENT has no length (RFC 9110, section 8.6).
  func framed(for method: HTTPRequest.Method) -> Response {
    var response = self
    if method == .head {
      let body = ResponseBody { try await $0.finish(nil) }
      response = Response(status: status, headers: headers, body: body)
    }
    if status == .noContent { response.headers[.contentLength] = nil }
    return response
  }
}
