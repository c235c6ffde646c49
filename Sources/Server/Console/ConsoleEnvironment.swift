import Access
import Authentication
import AuditTrail
import BaseJSON
import BaseRuntime
import BaseStatus
import BaseText
import FirestoreModel
import ServiceModule

/// The console's dependencies on the program around it.
package struct ConsoleEnvironment: Sendable {
  /// The choke point, which says who calls.
  let access: AccessControl
  /// The threads on which blocking work runs.
  let threads: EngineThreads
  /// True if everyone who reaches the server may use the console, without signing in.
  let isDevelopment: Bool
  /// The project that an empty server begins with.
  let defaultProject: String
  /// The version of the program, which the page shows.
  let version: String
  /// The administrators who may sign in, and the trail that records their actions.
  let administrators: Administrators
  let audit: AuditTrail
  /// The threads for hashing passwords and the like, for as long as that takes.
  let accountThreads: EngineThreads
  /// The projects that have anything on this server; blocks.
  let projects: @Sendable () throws -> Set<Text>
  /// The projects among them that have rules or databases; blocks.
  package var projectsWithData: @Sendable () throws -> Set<Text> = { [] }
  /// The services that the server has, by the names of their modules: a page without its service is not shown.
  package var services: [String] = []
  /// The directory from which the files are read with each request, while the console is developed;
  /// nil takes those of the binary.
  package var directory: String?

  /// Returns the queries' uses of a database's indexes, as the page reads them: `{since, used,
  /// missing}`, with instants in milliseconds since 1970; blocks, and throws NOT_FOUND for an
  /// unknown database.
  package var indexUses: (@Sendable (DatabaseID) throws -> JSONValue)?

  /// The decisions of rules by day; nil shows none.
  package var decisions: DecisionHistory?

  /// The operations on the server; nil shows no page of them.
  package var operations: ConsoleOperations?

  /// The keys of all services; nil lists those of service accounts alone.
  package var keys: KeyRegister?

  /// The maker of apps' configuration files; nil shows no apps.
  package var apps: AppFiles?
  let accounts: Accounts
  /// True if browsers reach the server over TLS though it speaks none itself.
  package var isBehindTLS = false
  /// Names by which the server is asked, beside those and the numbers of this machine; nil answers to every name.
  package var hosts: Set<String>?
  /// Delays the refusal of too many attempts, so that a client that retries at once costs little.
  package var holdRefusal: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(1)) }

  /// The environment of a console.
  package init(
    access: AccessControl,
    threads: EngineThreads,
    accounts: Accounts,
    administrators: Administrators,
    audit: AuditTrail,
    accountThreads: EngineThreads,
    isDevelopment: Bool,
    defaultProject: String,
    version: String,
    projects: @escaping @Sendable () throws -> Set<Text>
  ) {
    self.access = access
    self.threads = threads
    self.accounts = accounts
    self.administrators = administrators
    self.audit = audit
    self.accountThreads = accountThreads
    self.isDevelopment = isDevelopment
    self.defaultProject = defaultProject
    self.version = version
    self.projects = projects
  }

  /// Returns true if the browser of a request reaches the server over TLS.
  func isSecure(_ request: ServiceRequest) -> Bool { request.context.isSecure || isBehindTLS }

  /// Returns the relying party of passkeys on the page that sent a request.
  func relyingParty(_ request: ServiceRequest) throws(ServiceError) -> RelyingParty {
    guard let party = RelyingParty(request, isSecure: isSecure(request)) else {
      throw .invalidArgument("The request has no host.")
    }
    return party
  }

  /// Runs work on the accounts' threads; RESOURCE_EXHAUSTED where too much waits.
  func blocking<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      let isAccepted = accountThreads.submit { continuation.resume(with: Result { try work() }) }
      guard isAccepted else {
        return continuation.resume(
          throwing: ServiceError(
            .resourceExhausted,
            "Too many requests at once. Try again later."
          )
        )
      }
    }
  }
}
