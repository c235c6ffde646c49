/// A request of `brasa messages` about a project.
enum MessagesRequest: Codable, Sendable, Equatable {
  /// Sends a message of HTTP v1's form, to a user where one is named, by a schedule in JSON where there is one.
  case send(message: String, user: String?, schedule: String?, validatesOnly: Bool)
  /// Takes back a message whose time has not come.
  case cancel(id: String)
  /// Deletes a user's registrations and the messages to them.
  case erase(user: String)
  /// The newest messages.
  case list(limit: Int)
  /// A message with its deliveries.
  case show(id: String, limit: Int)
  /// Topics with the numbers of their registrations.
  case topics(limit: Int)
  /// Credentials, without secrets.
  case credentials
  /// Keeps an Apple key for a bundle; an empty one is every app.
  case addAPNsKey(keyID: String, teamID: String, bundle: String, privateKey: String)
  case removeAPNsKey(bundle: String)
  /// Creates the VAPID pair if there is none, and sets the contact for push services.
  case vapid(subject: String?)
  /// The credentials with their private keys, as one line of JSON.
  case exportSecrets
  /// Keeps such credentials, in the place of those of the same bundle and of the VAPID pair.
  case importSecrets(String)
  case createServerKey(name: String)
  case listServerKeys
  case revokeServerKey(name: String)

  /// As the log names it.
  var command: String {
    switch self {
    case .send: "send"
    case .cancel: "cancel"
    case .erase: "erase"
    case .list: "list"
    case .show: "show"
    case .topics: "topics"
    case .credentials: "credentials"
    case .addAPNsKey: "credentials apns"
    case .removeAPNsKey: "credentials remove-apns"
    case .vapid: "credentials vapid"
    case .exportSecrets: "secrets export"
    case .importSecrets: "secrets import"
    case .createServerKey: "keys create"
    case .listServerKeys: "keys list"
    case .revokeServerKey: "keys revoke"
    }
  }
}
