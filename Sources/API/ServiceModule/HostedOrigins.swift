import HTTPTypes

/// Hosts with their own origin: they serve a site, and of the server only the parts that a site
/// needs.
package struct HostedOrigins: Sendable {
  /// The owners of hosts.
  package enum Owner: Sendable, Equatable {
    /// The routes of all services.
    case server
    case site
    /// A host that leads here without an owner.
    case nobody
  }

  /// The owner of a request's host, from memory.
  package let owner: @Sendable (_ authority: String) -> Owner
  /// Answers requests for a site.
  package let answer: HTTPRoute.Handler
  /// Returns true if a host may become a site's by a change that memory has not received.
  package let mayBeSite: @Sendable (_ authority: String) -> Bool
  /// Returns when memory has what other nodes changed; nil where there are no others.
  package var becomeCurrent: (@Sendable () async throws -> Void)?
  /// Returns true if a path of a site is served by the routes of the server.
  package let isOfServer: @Sendable (_ path: String) -> Bool

  /// Hosts of those owners.
  package init(
    owner: @escaping @Sendable (_ authority: String) -> Owner,
    isOfServer: @escaping @Sendable (_ path: String) -> Bool,
    mayBeSite: @escaping @Sendable (_ authority: String) -> Bool,
    answer: @escaping HTTPRoute.Handler
  ) {
    self.mayBeSite = mayBeSite
    self.owner = owner
    self.isOfServer = isOfServer
    self.answer = answer
  }
}
