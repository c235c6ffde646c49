import HTTPTypes
import NIOHPACK

extension HTTPRequest {
  /// Fields that belong to HTTP/1.1 connections; RFC 9113 calls a request with one malformed.
  private static let connectionFields: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
  ]

  /// The request that an HTTP/2 header block describes; nil if it is malformed by RFC 9113.
  init?(_ headers: HPACKHeaders) {
    var pseudo: [String: String] = [:]
    var host: String?
    var fields = HTTPFields()
    for (name, value, _) in headers {
      if name.utf8.first == UInt8(ascii: ":") {
        guard fields.isEmpty, host == nil, pseudo.updateValue(value, forKey: name) == nil else {
          return nil
        }
      } else if name == "host" {
        guard host == nil else { return nil }
        host = value
      } else {
        guard let field = Self.field(name, value) else { return nil }
        fields.append(field)
      }
    }
    let known: Set<String> = [":method", ":scheme", ":authority", ":path"]
    guard known.isSuperset(of: pseudo.keys), let path = pseudo[":path"], path.utf8.first == 0x2f,
      let scheme = pseudo[":scheme"], let name = pseudo[":method"],
      let method = HTTPRequest.Method(name)
    else { return nil }
    let authority = pseudo[":authority"] ?? host
    // One of two names would be checked, and the other one served.
    guard host.map({ $0.lowercased() == authority?.lowercased() }) ?? true,
      authority.map(HTTP1Fault.isHost) ?? true
    else { return nil }
    self.init(
      method: method,
      scheme: scheme,
      authority: authority,
      path: path,
      headerFields: fields
    )
  }

  private static func field(_ name: String, _ value: String) -> HTTPField? {
    guard name.utf8.allSatisfy({ !(0x41...0x5a).contains($0) }), !connectionFields.contains(name),
      let fieldName = HTTPField.Name(name), HTTPField.isValidValue(value)
    else { return nil }
    return HTTPField(name: fieldName, value: value)
  }
}
