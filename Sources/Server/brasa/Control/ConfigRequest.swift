import ConfigTemplates

/// A request of `brasa config` about a project's template.
enum ConfigRequest: Codable, Sendable, Equatable {
  /// A version's JSON; nil is the newest.
  case get(version: Int64?)
  /// Publishes JSON, if an etag is named only in place of its version.
  case publish(template: String, etag: String?, validatesOnly: Bool, description: String?)
  case versions(limit: Int)
  case rollBack(version: Int64)
  /// The values that a user would get at a time, in RFC 3339; nil means now.
  case evaluate(ConfigSubject, at: String?)
  /// The number of installations in each variant of the experiments.
  case experiments
  /// The results for a goal by the variants of an experiment; nil is the experiment's own goal.
  case results(experiment: String, goal: ExperimentGoal?)
}

/// The device and the user of an evaluation, in messages.
struct ConfigSubject: Codable, Sendable, Equatable {
  var appID: String?
  var installationID: String?
  var appVersion: String?
  var appBuild: String?
  var country: String?
  var language: String?
  var userProperties: [String: String]
  var customSignals: [String: String]

  var client: ConfigClient {
    var client = ConfigClient()
    client.appID = appID
    client.installationID = installationID
    client.appVersion = appVersion
    client.appBuild = appBuild
    client.country = country
    client.language = language
    client.userProperties = userProperties
    client.customSignals = customSignals
    return client
  }
}
