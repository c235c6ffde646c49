import BaseText
import FirestoreModel

/// The storage commands' requests to a data directory.
///
/// `LocalAdministration` does the work on an open store: in the command itself when no server runs,
/// in the server when one does; `RemoteAdministration` hands the request to that server.
protocol Administration {
  /// Does what `request` says. `input` gives the items of an import, nil at their end; `output`
  /// takes progress and results as they come.
  func perform(
    _ request: AdministrationRequest,
    input: () throws -> [UInt8]?,
    output: (AdministrationReply) throws -> Void
  ) throws
}

extension Administration {
  /// Does what a request without items says.
  func perform(
    _ request: AdministrationRequest,
    output: (AdministrationReply) throws -> Void
  ) throws {
    try perform(request, input: { nil }, output: output)
  }
}

/// One request, as the control socket carries it: one line of JSON, then the items of an import.
enum AdministrationRequest: Codable, Sendable, Equatable {
  /// Recomputes derived data, in every service, and compares it; of files' bytes one in `sample`,
  /// nil is all.
  case verify(sample: Int?)
  /// The kinds of data that can be exported, a line each.
  case listTransfers
  /// The kinds of data that are secrets: an `item` each, with the kind that it belongs to.
  case listSecrets
  /// Hands out everything of a kind that the database or its project has, as `item`s.
  case export(kind: String, database: DatabaseLabel)
  /// Stores the items that follow.
  case `import`(kind: String, database: DatabaseLabel)
  /// A request of `brasa restore` into a running server.
  case restore(RestoreRequest)
  case listDatabases
  case createDatabase(DatabaseLabel)
  case deleteDatabase(DatabaseLabel)
  /// Shows the server's clock; `accepting` takes the system's to be right first.
  case clock(accepting: Bool)
  /// Deletes the documents of the collection at a path.
  case deleteCollection(database: DatabaseLabel, path: String, includingDescendants: Bool)
  /// Deletes the documents whose names follow as items.
  case deleteDocuments(DatabaseLabel)
  /// The index definitions and states as items.
  case listIndexes(database: DatabaseLabel)
  /// Keeps a ruleset and puts it in force for releases as `cloud.firestore`.
  case deployRules(project: String, releases: [String], file: RulesSource)
  /// The ruleset in force, then the kept rulesets.
  case listRules(project: String)
  /// The source of a ruleset: of that id, or the one in force under that release's name.
  case showRules(project: String, name: String)
  /// Judges a request on the database's data, with the values that the conditions saw.
  case explainRules(database: DatabaseLabel, explanation: RulesExplanation)
  /// Creates the definitions of a `firestore.indexes.json`, and deletes the others.
  case applyIndexes(database: DatabaseLabel, definitions: String, deletingOthers: Bool)
  /// Makes a service account's key; its file is the one line of the response.
  case createKey(name: String, role: String, project: String, origin: String?)
  /// Each service account's key as a line.
  case listKeys
  /// A request of `brasa users` about a project's accounts.
  case users(project: String, UsersRequest)
  /// Lets the next key of users' tokens take over; `immediately` ends every token.
  case rotateKeys(immediately: Bool)
  /// A request of `brasa apps` about a project.
  case apps(project: String, AppsRequest)
  /// A request of `brasa config` about a template.
  case config(project: String, isServer: Bool, ConfigRequest)
  /// A request of `brasa analytics` about a project's events.
  case analytics(project: String, AnalyticsRequest)
  /// A request of `brasa messages` about a project.
  case messages(project: String, MessagesRequest)
  /// A request of `brasa events` about a project's triggers.
  case triggers(project: String, TriggersRequest)
  /// A request of `brasa functions` about a project.
  case functions(project: String, FunctionsRequest)
  /// A request of `brasa storage` about buckets and objects.
  case storage(StorageRequest)
  /// The requests of `brasa hosting` about a project's sites.
  case hosting(project: String, HostingRequest)
  /// A request of `brasa console` about the administrators.
  case console(ConsoleRequest)
  /// Takes back the keys with that id, e-mail or name.
  case revokeKeys(String)
  /// Takes back the keys of all services that an account made.
  case revokeKeysMade(by: String)
}

/// A ruleset's one file in messages.
struct RulesSource: Codable, Sendable, Equatable {
  let name: String
  let content: String
}

/// A database's two names in messages.
struct DatabaseLabel: Codable, Sendable, Equatable {
  /// The id of the database that each project has by itself.
  static let defaultDatabase = "(default)"

  let project: String
  let database: String

  init(_ id: DatabaseID) {
    project = id.project.string
    database = id.database.string
  }

  init(project: String, database: String) {
    self.project = project
    self.database = database
  }

  var id: DatabaseID { DatabaseID(project: Text(project), database: Text(database)) }
}

/// One part of a response.
enum AdministrationReply: Codable, Sendable, Equatable {
  /// The progress of the work, in `unit`s; the total is nil while it is not known.
  case progress(done: Int, total: Int?, unit: String)
  /// An item of an export and the file that it belongs to.
  case item(file: String, bytes: [UInt8])
  /// A line for the person who runs the command.
  case line(String)
  /// A difference that `verify` found.
  case difference(String)
  /// Something that an export does not have, as a sentence, and the kind that has it under a passphrase.
  case omission(String, secret: String?)
  /// The numbers of an import's items that were stored, and that were there already.
  case counted(stored: Int, skipped: Int)
  /// The end of the work.
  case finished(summary: String)
  /// The end without success: Firestore's code and text.
  case failed(code: Int, message: String)
}
