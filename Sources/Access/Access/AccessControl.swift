import BaseStatus
import DocumentStore
import Logging
import SecurityRules

/// The one choke point: every call names its caller here and gets the permit that it needs to reach
/// a database.
///
/// Production takes the administrator key as a bearer token over an encrypted connection, and the
/// tokens that its verifier knows. Development takes what the emulator's environment variables make
/// Google's clients send: `Bearer owner`, access tokens that begin with `ya29.`, unsigned tokens.
/// Administrators are above the rules; other callers have the access that the deployed rules allow.
/// Without deployed rules that is nothing in production, and everything in development.
///
/// It alone is handed the store. `Administrator/` are those who signed in to the console, `Caller/` identifies callers, `Permit/` gives out permits, `Decision/`
/// asks the rules. Any thread may call.
package final class AccessControl: Sendable {
  /// The strictness with which callers are judged.
  package enum Mode: Sendable {
    /// Claims count unproven; only for development on loopback.
    case development
    case production(key: AdministratorKey)
  }

  let mode: Mode
  let databases: Databases
  let rules: RulesetStore
  let verifier: (any TokenVerifier)?
  let administrators: (any AdministratorTokens)?
  let compatibility: RulesSession.Compatibility
  let overwriting: RulesMethod
  /// The clock that rules see.
  let clock: RequestClock
  let log: AccessLog
  /// After so long the account behind a permit for a bucket is looked at again.
  let accountCheckInterval: Duration

  /// Gives out permits to those databases by that mode and those rules; without a verifier there are
  /// no signed tokens.
  ///
  /// - Parameter overwriting: The method that the rules of Storage see for new content of an object
  ///   that exists: `create`, as in Google's service and emulator, or `update`.
  package init(
    mode: Mode,
    databases: Databases,
    rules: RulesetStore,
    verifier: (any TokenVerifier)? = nil,
    administrators: (any AdministratorTokens)? = nil,
    compatibility: RulesSession.Compatibility = .safe,
    overwriting: RulesMethod = .create,
    clock: RequestClock = RequestClock(),
    accountCheckInterval: Duration = .seconds(60),
    log: Logger
  ) {
    self.accountCheckInterval = accountCheckInterval
    self.mode = mode
    self.databases = databases
    self.rules = rules
    self.verifier = verifier
    self.administrators = administrators
    self.compatibility = compatibility
    self.overwriting = overwriting
    self.clock = clock
    self.log = AccessLog(log)
  }

  /// The error of every denial, without details for clients.
  package static let denied = ServiceError(
    .permissionDenied,
    "Missing or insufficient permissions."
  )

  /// The error for credentials that are not valid, in production's own words.
  package static let invalidCredentials = ServiceError(
    .unauthenticated,
    "Missing or invalid authentication."
  )
}
