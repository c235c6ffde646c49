/// The requests of `brasa hosting` about a project's sites.
enum HostingRequest: Codable, Sendable, Equatable {
  case sites
  case createSite(String)
  case deleteSite(String)
  case addDomain(String, site: String)
  case removeDomain(String, site: String)
  /// Begins a version with the files that follow as items: a path, a zero byte and a hash. The first line is the version, the
  /// others are the hashes of content that is missing.
  case begin(site: String, config: String)
  /// Stores the content that follows: items of a hash's 32 bytes, a byte that is 1 behind which no part follows, and a part.
  case upload(site: String, version: String)
  /// Finalizes the version and shows it.
  case release(site: String, version: String, channel: String, message: String)
  case releases(site: String, channel: String)
  /// Shows the version of an earlier release: the one of that id, or the last other one.
  case rollBack(site: String, channel: String, to: String?)
  case channels(site: String)
  /// Makes a preview, or gives one more time, in seconds.
  case openChannel(String, site: String, life: Int64?)
  case deleteChannel(String, site: String)

  /// The command that makes the request.
  var command: String {
    switch self {
    case .sites: "sites"
    case .createSite: "sites create"
    case .deleteSite: "sites delete"
    case .addDomain: "domains add"
    case .removeDomain: "domains remove"
    case .begin, .upload, .release: "deploy"
    case .releases: "releases"
    case .rollBack: "rollback"
    case .channels: "channels"
    case .openChannel: "channels open"
    case .deleteChannel: "channels delete"
    }
  }
}
