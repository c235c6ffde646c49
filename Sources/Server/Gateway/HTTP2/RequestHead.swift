import NIOHPACK

/// The part of an HTTP/2 request's headers that the gateway reads, in one pass over them.
///
/// The HTTP/2 layer's own validation of header blocks is off, because it costs a tenth of a call.
/// The necessary checks are here: one method and one path; and for requests that are not gRPC,
/// whose every field is looked at, in `HTTPRequest.init?(_:)`.
struct RequestHead {
  private(set) var method = ""
  private(set) var path = ""
  /// The host that the client means; `:authority` counts before `host`.
  private(set) var authority: String?
  private(set) var contentType = ""
  private(set) var authorization: String?
  private(set) var timeout: String?
  private(set) var encoding: String?
  /// The headers' size as HPACK counts it.
  private(set) var bytes = 0

  /// Reads the block; nil if it is no request's.
  init?(_ headers: HPACKHeaders) {
    for (name, value, _) in headers {
      bytes += name.utf8.count + value.utf8.count + 32
      switch name {
      case ":method":
        guard method.isEmpty else { return nil }
        method = value
      case ":path":
        guard path.isEmpty else { return nil }
        path = value
      case ":authority": authority = value
      case "host": if authority == nil { authority = value }
      case "content-type": contentType = value
      case "authorization": authorization = value
      case "grpc-timeout": timeout = value
      case "grpc-encoding": encoding = value
      default: continue
      }
    }
    if method.isEmpty || path.isEmpty { return nil }
  }

  /// The cost of the headers' size in `UnservedRequestCredit`.
  var cost: Int { UnservedRequestCredit.cost(ofHeaderBytes: bytes) }

  /// True if the request is a gRPC call: `application/grpc`, alone or with `+proto` or parameters.
  var isGRPC: Bool {
    guard method == "POST" else { return false }
    return contentType == "application/grpc"
      || contentType.hasPrefix("application/grpc+") || contentType.hasPrefix("application/grpc;")
  }
}
