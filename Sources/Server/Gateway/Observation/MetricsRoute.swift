import Access
import HTTPTypes
import ServiceModule

/// The process's metrics.
///
///     GET /metrics   Prometheus' text format
///
/// They tell how many users, calls and files a server has, so strangers get none. No page of another origin reads them.
struct MetricsRoute: Sendable {
  /// Throws for a caller who is not an administrator.
  typealias Admission = @Sendable (CallContext) async throws -> Void

  private let registry: MetricsRegistry
  private let admission: Admission?
  private let trustsMachine: Bool

  /// The route of the server's own port.
  ///
  /// - Parameter trustsMachine: True where requests from this machine come from its own programs, and not from a proxy.
  init(_ registry: MetricsRegistry, trustsMachine: Bool, admission: @escaping Admission) {
    self.registry = registry
    self.trustsMachine = trustsMachine
    self.admission = admission
  }

  /// The route of a port that only those reach who may read the metrics.
  init(unguarded registry: MetricsRegistry) {
    self.registry = registry
    trustsMachine = true
    admission = nil
  }

  var route: HTTPRoute {
    var route = HTTPRoute(.get, "/metrics", for: .administrators) { request in
      if let admission, !isOwnMachine(request) { try await admission(request.context) }
      var response = ServiceResponse.text(registry.render())
      response.headers[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
      response.headers[.cacheControl] = "no-store"
      return response
    }
    route.decidesOrigins = true
    return route.openToViewers()
  }

  /// Distinguishes a program of this machine from a proxy, which forwards for others, and from a
  /// page in a browser.
  private func isOwnMachine(_ request: ServiceRequest) -> Bool {
    guard trustsMachine, request.context.isLocal, !request.context.isForwarded else { return false }
    guard !Self.foreignFields.contains(where: { request.headers[$0] != nil }) else { return false }
    guard let authority = request.head.authority else { return true }
    return HostName(ofAuthority: authority).map { $0.isLoopback || $0.isNumeric } ?? false
  }

  /// Fields that proxies add, and browsers for pages.
  private static let foreignFields: [HTTPField.Name] =
    [
      "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip",
      "sec-fetch-site",
    ]
    .map { .known($0) } + [.origin]
}
