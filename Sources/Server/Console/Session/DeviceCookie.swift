import HTTPTypes
import ServiceModule

/// The cookie of a browser in which an administrator signed in before: wrong passwords from elsewhere do not keep it out.
///
/// It opens nothing by itself, and has tries of its own (`AttemptLimits`). It outlives sessions.
enum DeviceCookie {
  private static let secureName = "__Host-brasa_device"
  private static let plainName = "brasa_device"
  /// Seconds for which browsers keep it, the most that they keep any.
  private static let age = 400 * 86_400

  /// The token in a request; nil without one.
  static func token(_ request: ServiceRequest, isSecure: Bool) -> String? {
    SessionCookie.value(of: isSecure ? secureName : plainName, request)
  }

  /// The field that sets the cookie.
  static func field(_ token: String, isSecure: Bool) -> HTTPField {
    let name = isSecure ? secureName : plainName
    let value =
      "\(name)=\(token); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
      + (isSecure ? "; Secure" : "")
    return HTTPField(name: .setCookie, value: value)
  }
}
