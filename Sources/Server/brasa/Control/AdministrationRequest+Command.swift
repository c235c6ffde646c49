extension AdministrationRequest {
  /// The command that makes the request, as the log names it; without its arguments, which may be secret.
  var command: String {
    switch self {
    case .verify: "verify"
    case .listTransfers, .listSecrets, .export: "export"
    case .import: "import"
    case .restore: "restore"
    case .listDatabases: "databases list"
    case .createDatabase: "databases create"
    case .deleteDatabase: "databases delete"
    case .clock(accepting: false): "clock"
    case .clock(accepting: true): "clock accept"
    case .deleteCollection: "databases delete-collection"
    case .deleteDocuments: "migrate"
    case .listIndexes: "indexes list"
    case .applyIndexes: "indexes apply"
    case .deployRules: "rules deploy"
    case .listRules: "rules list"
    case .showRules: "rules show"
    case .explainRules: "rules explain"
    case .createKey: "keys create"
    case .listKeys: "keys list"
    case .rotateKeys: "keys rotate"
    case .revokeKeys, .revokeKeysMade: "keys revoke"
    case .users: "users"
    case .apps(_, .create): "apps create"
    case .apps(_, .list): "apps list"
    case .apps(_, .config): "apps config"
    case .apps(_, .setGoogleClient): "apps client"
    case .apps(_, .delete): "apps delete"
    case .storage(let request): "storage \(request.command)"
    case .hosting(_, let request): "hosting \(request.command)"
    case .console(.invite): "console invite"
    case .console(.list): "console administrators"
    case .console(.remove): "console remove"
    case .analytics(_, let request): "analytics \(request.command)"
    case .messages(_, let request): "messages \(request.command)"
    case .triggers(_, let request): "events \(request.command)"
    case .functions(_, let request): "functions \(request.command)"
    case .config(_, _, .get): "config get"
    case .config(_, _, .publish): "config publish"
    case .config(_, _, .versions): "config versions"
    case .config(_, _, .rollBack): "config rollback"
    case .config(_, _, .evaluate): "config evaluate"
    case .config(_, _, .experiments): "config experiments"
    case .config(_, _, .results): "config results"
    }
  }

  /// True if it is about data that is not shared by several nodes, so that another node may have a
  /// part of it.
  var isForOneNode: Bool {
    switch self {
    // A list of all kinds of data, to write them all.
    case .listTransfers: true
    // All of a project comes.
    case .restore(.takeProject): true
    // The primary has the keys of files and messages.
    case .revokeKeysMade: true
    case .analytics, .messages, .storage, .triggers, .config(_, _, .results): true
    default: false
    }
  }
}
