import BaseStatus
import HTTPTypes
import ServiceModule

/// Keeps pages of other origins from the console's own calls.
enum OwnOrigin {
  /// Throws PERMISSION_DENIED to what a page of another origin makes a browser send.
  ///
  /// Browsers say where a request comes from: by `Sec-Fetch-Site`, older ones by `Origin` alone.
  /// Programs other than browsers send neither, and have no other user's cookie to send.
  static func require(_ request: ServiceRequest) throws(ServiceError) {
    if let site = request.headers[.named("sec-fetch-site")] {
      guard site == "same-origin" || site == "none" else { throw foreign }
      return
    }
    guard let origin = request.headers[.origin] else { return }
    guard let host = request.head.authority, host == authority(of: origin) else { throw foreign }
  }

  /// The same for what a browser sends a cookie along with: the request must say where it comes from.
  static func requireStrictly(_ request: ServiceRequest) throws(ServiceError) {
    if let site = request.headers[.named("sec-fetch-site")] {
      guard site == "same-origin" else { throw foreign }
      return
    }
    guard request.headers[.origin] != nil else { throw foreign }
    try require(request)
  }

  /// Throws PERMISSION_DENIED where a request names a host that is neither among those nor this machine or a number.
  ///
  /// A page whose name was made to lead to a server that listens on this machine alone is of the server's own origin to its
  /// browser.
  static func requireHost(
    of request: ServiceRequest,
    amongst hosts: Set<String>
  ) throws(ServiceError) {
    guard let authority = request.head.authority else { return }
    if let host = HostName(ofAuthority: authority),
      host.isLoopback || host.isNumeric || hosts.contains(host.text)
    {
      return
    }
    throw ServiceError(
      .permissionDenied,
      "The console does not accept requests for the host \(authority.prefix(100)). Allow it with --origin."
    )
  }

  private static let foreign = ServiceError(
    .permissionDenied,
    "Only pages of the server's own origin may use the console's API."
  )

  private static func authority(of origin: String) -> String? {
    origin.firstRange(of: "://").map { String(origin[$0.upperBound...]) }
  }
}
