import HTTPTypes
import ServiceModule

/// The cookie of a session, which buys tokens and nothing else.
enum SessionCookie {
  /// The cookie's name where the browser reaches the server over TLS: such a cookie comes from this very host.
  private static let secureName = "__Host-brasa_console"
  private static let plainName = "brasa_console"

  /// The session's secret in a request; nil without one.
  ///
  /// Over TLS only the name counts that no other host can have set: pages of sibling hosts can set
  /// any other, and so sign a user in as themselves.
  static func secret(_ request: ServiceRequest, isSecure: Bool) -> String? {
    value(of: isSecure ? secureName : plainName, request)
  }

  /// The value of a cookie in a request; nil without one.
  static func value(of wanted: String, _ request: ServiceRequest) -> String? {
    for line in request.headers[values: .cookie] {
      for pair in line.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { continue }
        let name = parts[0].drop { $0 == " " }
        if name == wanted { return String(parts[1]) }
      }
    }
    return nil
  }

  /// The field that sets the cookie; an empty secret takes it away.
  static func field(_ secret: String, isSecure: Bool) -> HTTPField {
    let age = secret.isEmpty ? 0 : Administrators.sessionLifetime
    let name = isSecure ? secureName : plainName
    let value =
      "\(name)=\(secret); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
      + (isSecure ? "; Secure" : "")
    return HTTPField(name: .setCookie, value: value)
  }
}
