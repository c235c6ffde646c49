import Authentication

/// A request of `brasa apps` about a project.
enum AppsRequest: Codable, Sendable, Equatable {
  /// Registers an app; its id is the one line of the response.
  case create(
    platform: RegisteredApp.Platform,
    bundleID: String?,
    displayName: String?,
    teamID: String?,
    fingerprints: [String]?,
    googleClientID: String?
  )
  /// Sets the client at Google of the iOS app with that id or bundle id; nil takes it away.
  case setGoogleClient(String, clientID: String?)
  /// Each app as a line.
  case list
  /// The configuration file of the app with that id or bundle id, for clients that reach the server at an origin.
  case config(String, form: AppConfiguration.Form?, origin: String?)
  case delete(String)
}
