/// A request of `brasa functions` about a project.
enum FunctionsRequest: Codable, Sendable, Equatable {
  /// Deploys the source in a folder of this machine; reports progress as lines.
  case deploy(folder: String, codebase: String)
  /// Each function as a line.
  case list
  /// The deployments of a codebase that are kept, each as a line.
  case releases(codebase: String)
  /// Puts an earlier deployment of a codebase in force again; nil is the one before.
  case rollBack(codebase: String, release: Int?)
  /// Deletes a codebase.
  case delete(codebase: String)
  /// Calls a function with a JSON text as data; its response is the one line.
  case call(name: String, data: String)
  /// The entries of the log behind a number, as items of JSON; of one function where one is named.
  case logs(function: String?, after: Int, text: String?)
  /// Sets a secret.
  case setSecret(name: String, value: String)
  /// The names of the secrets.
  case listSecrets
  /// Deletes a secret.
  case deleteSecret(name: String)

  /// The command's words, without its arguments.
  var command: String {
    switch self {
    case .deploy: "deploy"
    case .list: "list"
    case .releases: "releases"
    case .rollBack: "rollback"
    case .delete: "delete"
    case .call: "call"
    case .logs: "logs"
    case .setSecret: "secrets set"
    case .listSecrets: "secrets list"
    case .deleteSecret: "secrets delete"
    }
  }
}
