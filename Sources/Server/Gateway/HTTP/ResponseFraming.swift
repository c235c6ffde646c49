import HTTPTypes
import Hummingbird

extension Response {
  /// The response as a client gets it that asked with that method: to HEAD without its body, with the length that the body would have.
  func framed(for method: HTTPRequest.Method) -> Response {
    guard method == .head else { return self }
    return Response(
      status: status,
      headers: headers,
      body: ResponseBody { try await $0.finish(nil) }
    )
  }
}
