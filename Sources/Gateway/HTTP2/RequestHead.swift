import NIOHPACK

/// What the gateway reads of an HTTP/2 request's headers, in one pass over them.
struct RequestHead {
  var path = ""
  var contentType = ""
  var authorization: String?
  var timeout: String?
  var encoding: String?
  /// The headers' size as HPACK counts it.
  var bytes = 0

  init(_ headers: HPACKHeaders) {
    for (name, value, _) in headers {
      bytes += name.utf8.count + value.utf8.count + 32
      switch name {
      case ":path": path = value
      case "content-type": contentType = value
      case "authorization": authorization = value
      case "grpc-timeout": timeout = value
      case "grpc-encoding": encoding = value
      default: continue
      }
    }
  }

  /// Whether the request is a gRPC call: `application/grpc`, alone or with `+proto` or parameters.
  var isGRPC: Bool {
    contentType == "application/grpc"
      || contentType.hasPrefix("application/grpc+") || contentType.hasPrefix("application/grpc;")
  }
}
