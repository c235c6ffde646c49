import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel

// Giving out permits: the only way to a database.

extension AccessControl {
  /// Refuses callers who could not be allowed anything, before the request is even read.
  package func admit(_ caller: Caller) throws(ServiceError) {
    guard case .production = mode, !caller.isAdministrator, rules.isEmpty else { return }
    throw Self.denied
  }

  /// Creates the permit with the caller's rights in a database; throws PERMISSION_DENIED if there
  /// are none.
  ///
  /// Every operation passes here before it touches anything, and does what its permit lets it do.
  ///
  /// - Parameters:
  ///   - memory: The connection's memory, which keeps the rules for the caller's next call.
  ///   - administrator: The administrator who signed in at the console to make the call, if any.
  package func permit(
    _ caller: Caller,
    _ database: DatabaseID,
    network: String = "",
    requestID: String = "",
    memory: CallerMemory? = nil,
    administrator: SignedInAdministrator? = nil
  ) throws(ServiceError) -> Permit {
    if let rules = memory?.rules(of: caller, in: database) {
      let gate = RulesGate(rules: rules, network: network, requestID: requestID)
      return Permit(databases, database, gate: gate)
    }
    if caller.administers(database.project) {
      let role = administrator?.roles.role(in: database.project)
      return Permit(databases, database, gate: nil, mayLock: role != .viewer)
    }
    guard !caller.isAdministrator else { throw Self.denied }
    if case .user(let user) = caller, user.project != database.project {
      guard case .development = mode else { throw Self.denied }
      log.noteForeignToken(of: user.project, for: database)
    }
    guard let ruleset = ruleset(of: database) else {
      guard case .development = mode else { throw Self.denied }
      log.noteMissingRules(of: database)
      return Permit(databases, database, gate: nil)
    }
    let rules = CallerRules(
      database,
      ruleset,
      caller,
      compatibility: compatibility,
      clock: clock,
      log: log
    )
    // Development takes other rules for a database without its own, until it has some.
    if case .production = mode { memory?.remember(rules) }
    let gate = RulesGate(rules: rules, network: network, requestID: requestID)
    return Permit(databases, database, gate: gate)
  }

  /// Opens a database for a stream of listeners whose targets are decided on one by one.
  ///
  /// Callers without any rights listen in vain, but do not create a database by that: a missing one
  /// is denied to them.
  package func databaseForListening(
    _ caller: Caller,
    _ database: DatabaseID
  ) throws -> Database {
    do throws(ServiceError) {
      _ = try permit(caller, database)
    } catch {
      guard let existing = try databases.existingDatabase(database) else { throw error }
      return existing
    }
    return try databases.database(database)
  }

  /// Throws PERMISSION_DENIED to callers of an administration API who are not administrators of its
  /// project, or of the whole server if the call has no project.
  ///
  /// Development mode leaves it open, like the emulator.
  package func requireAdministration(
    _ caller: Caller,
    of project: Text? = nil
  ) throws(ServiceError) {
    switch (mode, caller) {
    case (_, .administrator), (.development, .nobody): return
    case (_, .projectAdministrator(let projects)):
      guard let project, projects.contains(project) else { throw Self.denied }
    case (.production, .nobody), (_, .user): throw Self.denied
    }
  }

  /// Gives out the right to the databases of a project, or to all of them, to a caller of an administration API.
  ///
  /// Throws PERMISSION_DENIED as `requireAdministration` does.
  package func administratorPermit(
    for caller: Caller,
    of project: Text? = nil
  ) throws(ServiceError) -> AdministratorPermit {
    try requireAdministration(caller, of: project)
    return AdministratorPermit(databases, of: project)
  }

  /// Grants the right to all databases to requests of the machine's own administrator, which have
  /// no credentials to check: a process that can open the data directory can do everything.
  ///
  /// - Parameter reason: The purpose, for the log.
  package func administratorPermit(reason: String) -> AdministratorPermit {
    log.noteAdministration(reason)
    return AdministratorPermit(databases)
  }

  /// Gives out the right to the databases of a data directory that no server has open, to the process
  /// that opened it.
  package static func administratorPermit(atRest databases: Databases) -> AdministratorPermit {
    AdministratorPermit(databases)
  }

  /// The rules in force for a database.
  ///
  /// The emulator has one ruleset for all databases of a project, and so has development for those
  /// without one of their own.
  private func ruleset(of database: DatabaseID) -> ReleasedRuleset? {
    if let own = rules.current(.firestore(database)) { return own }
    guard case .development = mode, !database.isDefault else { return nil }
    return rules.current(.firestore(DatabaseID(project: database.project)))
  }
}
