import BaseRuntime
import BaseStatus

/// The limits and addresses of sites.
package struct HostingConfiguration: Sendable {
  /// The domain below which each site has a host: `SITE.<domain>`; nil where sites have domains of their own alone.
  package var domain: String?
  /// The host of the console and the APIs, below which no site may be; nil in development.
  package var serverHost: String?
  /// Other names of the server itself, which are no sites' and not refused.
  package var serverNames: Set<String> = []
  /// Microseconds since 1970.
  package var clock: @Sendable () -> Int64
  /// The most sites of the server.
  package var maximumSites = 10_000
  /// The most channels of a site.
  package var maximumChannels = 200
  /// The most files of a version.
  package var maximumFiles = 100_000
  /// The most versions of a site that are not finalized.
  package var maximumOpenVersions = 100
  /// So many releases of a channel can be rolled back to.
  package var keptReleases = 100
  /// The most bytes that come out of one file.
  package var maximumFileBytes: Int64 = 1 << 30
  /// Packed content up to that many bytes is in the engine.
  package var engineContentBytes = 64 << 10
  /// True if larger content is in the engine too, which several machines share.
  package var sharesContent = false
  /// Bytes of small files that memory keeps.
  package var memoryBytes = 32 << 20

  /// Sites by that clock.
  package init(clock: @escaping @Sendable () -> Int64) { self.clock = clock }
}

/// The place that a host name shows.
package struct HostedPlace: Sendable, Hashable {
  /// The site's name.
  package let site: String
  /// The project that the site belongs to.
  package let project: String
  /// The channel's id.
  package let channel: String
  /// The version that is shown; nil where none is, or the site is disabled.
  package let version: String?
  /// Microseconds since 1970, from which on nothing is shown; nil without an end.
  package let expiresAt: Int64?
}
