import FirestoreModel
import SecurityRules

/// The rules in force for a database, and the caller that they are to decide on.
///
/// It does not change, so a connection keeps it between two calls of the same caller. It says what is
/// in force only while its ruleset is (`ReleasedRuleset.isCurrent`).
final class CallerRules: Sendable {
  let database: DatabaseID
  let ruleset: ReleasedRuleset
  let caller: Caller
  let auth: RulesAuth?
  let compatibility: RulesSession.Compatibility
  let clock: RequestClock
  let log: AccessLog

  init(
    _ database: DatabaseID,
    _ ruleset: ReleasedRuleset,
    _ caller: Caller,
    compatibility: RulesSession.Compatibility,
    clock: RequestClock,
    log: AccessLog
  ) {
    self.database = database
    self.ruleset = ruleset
    self.caller = caller
    auth = caller.rulesAuth
    self.compatibility = compatibility
    self.clock = clock
    self.log = log
  }

  /// Returns true if these are the rules of that database, which are in force, for that caller.
  func isFor(_ caller: Caller, _ database: DatabaseID) -> Bool {
    ruleset.isCurrent && self.caller == caller && self.database == database
  }
}
