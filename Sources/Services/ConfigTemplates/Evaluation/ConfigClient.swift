/// The attributes that a client sends when it asks for its values.
///
/// Nothing of it is checked: values are decided by it, rights are not.
package struct ConfigClient: Sendable, Equatable {
  /// The app's id in Google's form, such as `1:42:ios:ab`; nil where the client names none.
  package var appID: String?
  /// The Firebase installation id, by which percentages are decided.
  package var installationID: String?
  /// True for a client that is the installation which it names: of others nothing is kept or known.
  package var isProven = true
  /// The app's version, such as `1.12.3`.
  package var appVersion: String?
  /// The app's build number, as a text.
  package var appBuild: String?
  /// ISO 3166 in two letters.
  package var country: String?
  /// A tag such as `pt-BR`.
  package var language: String?
  /// Values of Google Analytics user properties, by their names.
  package var userProperties: [String: String] = [:]
  /// Values of the app's custom signals, by their names.
  package var customSignals: [String: String] = [:]
  /// Microseconds since the epoch.
  package var firstOpenTime: Int64?
  /// The user agent of a browser.
  package var userAgent: String?

  /// A client of which nothing is known.
  package init() {}

  /// The installation that the client proved to be; nil for one that is only named.
  var provedInstallation: String? { isProven ? installationID : nil }

  /// The platform in the app's id: `ios` of `1:42:ios:ab`.
  package var platform: String? {
    let parts = appID?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    return parts.count == 4 ? parts[2].lowercased() : nil
  }

  /// A client while its conditions are evaluated; expensive work is done once.
  struct Reading {
    let client: ConfigClient
    let country: String?
    private let languages: [String]
    private var percentiles: [String: Int] = [:]
    private var versions: [ConfigAttribute: VersionNumber?] = [:]
    private lazy var agent = client.userAgent.map(UserAgent.init)
    let audiences: Set<String>?

    init(_ client: ConfigClient, audiences: Set<String>?) {
      self.client = client
      self.audiences = audiences
      country = client.country?.uppercased()
      let tag = client.language?.languageTag ?? ""
      languages = tag.isEmpty ? [] : [tag, String(tag.prefix { $0 != "-" })]
    }

    subscript(attribute: ConfigAttribute) -> String? {
      switch attribute {
      case .appVersion: client.appVersion
      case .appBuild: client.appBuild
      case .userProperty(let name): client.userProperties[name]
      case .customSignal(let name): client.customSignals[name]
      }
    }

    /// The version that an attribute is; nil where it is none.
    mutating func version(_ attribute: ConfigAttribute) -> VersionNumber? {
      if let known = versions[attribute] { return known }
      let version = self[attribute].flatMap(VersionNumber.init)
      versions[attribute] = .some(version)
      return version
    }

    /// Returns true if the list has the client's language, or it without its region.
    func isLanguage(in tags: Set<String>) -> Bool { languages.contains(where: tags.contains) }

    /// The client's percentile under a seed; nil without an installation.
    mutating func percentile(seed: String) -> Int? {
      guard let id = client.installationID, !id.isEmpty else { return nil }
      if let known = percentiles[seed] { return known }
      let percentile = PercentRange.percentile(of: id, seed: seed)
      percentiles[seed] = percentile
      return percentile
    }

    /// Returns true if one of the tests is true of the browser or its system.
    mutating func isAgent(_ part: AgentPart, in tests: [AgentTest]) -> Bool {
      let product = part == .browser ? agent?.browser : agent?.system
      guard let product, let version = product.version else { return false }
      return tests.contains {
        $0.name == product.name && $0.comparison.holds(version, toAnyOf: $0.versions)
      }
    }
  }
}
