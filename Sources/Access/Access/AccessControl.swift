import DocumentStore
import FirestoreModel
import Logging
import SecurityRules

/// The one choke point: every call names its caller here and gets the permit that it needs to reach
/// a database.
///
/// Production takes the administrator key as a bearer token over an encrypted connection, and the
/// tokens that its verifier knows. Development takes what the emulator's environment variables make
/// Google's clients send: `Bearer owner`, access tokens that begin with `ya29.`, unsigned tokens.
/// Administrators are above the rules; everybody else reaches what the rules in force allow, which
/// is nothing in production, and everything in development, where no rules were deployed. Any thread
/// may call.
package final class AccessControl: Sendable {
  /// How strictly callers are judged.
  package enum Mode: Sendable {
    /// Claims count unproven; only for development on loopback.
    case development
    case production(key: AdministratorKey)
  }

  package let mode: Mode
  /// What rules see of the time.
  let clock: RequestClock
  private let rules: RulesetStore
  private let verifier: (any TokenVerifier)?
  private let compatibility: RulesSession.Compatibility
  private let log: AccessLog

  /// Judges callers by that mode and those rules; without a verifier there are no signed tokens.
  package init(
    mode: Mode,
    rules: RulesetStore,
    verifier: (any TokenVerifier)? = nil,
    compatibility: RulesSession.Compatibility = .safe,
    clock: RequestClock = RequestClock(),
    log: Logger
  ) {
    self.mode = mode
    self.rules = rules
    self.verifier = verifier
    self.compatibility = compatibility
    self.clock = clock
    self.log = AccessLog(log)
  }

  /// Who calls; throws UNAUTHENTICATED for credentials that are not valid.
  package func identify(_ context: CallContext) throws(FirestoreError) -> Caller {
    guard let authorization = context.authorization else { return .nobody }
    if context.isForeignPage, Self.bearerToken(authorization).map(Self.isEmulatorOwner) == true {
      throw Self.foreignPage
    }
    if let known = context.memory?.caller(of: authorization), stands(known) { return known }
    guard let token = Self.bearerToken(authorization) else { throw Self.invalidCredentials }
    if let administrator = try administrator(holding: token, context) {
      context.memory?.noteCredentials()
      context.memory?.remember(authorization, administrator)
      return administrator
    }
    let caller = try user(holding: token, context)
    context.memory?.noteCredentials()
    // A back end's token ends or is taken back, which `.administrator` alone could not tell later.
    if case .user = caller { context.memory?.remember(authorization, caller) }
    return caller
  }

  /// Whether a caller that was identified earlier may still be taken for the same: signed tokens
  /// end, or are revoked.
  package func stands(_ caller: Caller) -> Bool {
    guard case .user(let user) = caller, let verifier, user.isSigned else { return true }
    return verifier.stands(user)
  }

  /// What tells, again and again, whether the caller of a call that goes on may still be taken for the
  /// same; cheap.
  package func standing(of caller: Caller, _ context: CallContext) -> @Sendable () -> Bool {
    switch caller {
    case .nobody: return { true }
    case .user: return { [self] in stands(caller) }
    case .administrator:
      guard let token = context.authorization.flatMap(Self.bearerToken),
        (try? administrator(holding: token, context)) == nil
      else { return { true } }
      // A back end's token ends or is taken back.
      return { [self] in (try? user(holding: token, context)) == .administrator }
    }
  }

  /// Has `act` done whenever a caller may have ceased to stand before its time.
  package func onRevocation(_ act: @escaping @Sendable () -> Void) {
    verifier?.onRevocation { _, _ in act() }
  }

  /// Those whose credentials never end; nil for everybody else.
  private func administrator(
    holding token: Substring,
    _ context: CallContext
  ) throws(FirestoreError) -> Caller? {
    switch mode {
    case .development: return Self.isEmulatorOwner(token) ? .administrator : nil
    case .production(let key):
      guard key.matches(token) else { return nil }
      guard context.isSecure || context.isLocal else {
        throw FirestoreError(
          .unauthenticated,
          "The administrator key is accepted over TLS only."
        )
      }
      return .administrator
    }
  }

  /// Who holds a token.
  private func user(
    holding token: Substring,
    _ context: CallContext
  ) throws(FirestoreError) -> Caller {
    if case .development = mode {
      let unsigned = try UnsignedToken(token)
      guard unsigned.isSigned, verifier != nil else { return .user(unsigned.identity) }
    }
    guard let verifier else { throw Self.invalidCredentials }
    return try verifier.caller(holding: token, isSecure: context.isSecure || context.isLocal)
  }

  /// Turns away who could not be allowed anything, before the request is even read.
  package func admit(_ caller: Caller) throws(FirestoreError) {
    guard case .production = mode, caller != .administrator, rules.isEmpty else { return }
    throw Self.denied
  }

  /// What the caller may do in a database; throws PERMISSION_DENIED where that is nothing.
  ///
  /// Every operation passes here before it touches anything, and does what its permit lets it do.
  package func permit(
    _ caller: Caller,
    _ database: DatabaseID,
    network: String = "",
    requestID: String = ""
  ) throws(FirestoreError) -> Permit {
    if caller == .administrator { return .unrestricted }
    if case .user(let user) = caller, user.project != database.project {
      guard case .development = mode else { throw Self.denied }
      log.noteForeignToken(of: user.project, for: database)
    }
    guard let ruleset = ruleset(of: database) else {
      guard case .development = mode else { throw Self.denied }
      log.noteMissingRules(of: database)
      return .unrestricted
    }
    return .ruled(
      RulesGate(
        database: database,
        ruleset: ruleset,
        caller: caller,
        network: network,
        requestID: requestID,
        compatibility: compatibility,
        clock: clock,
        log: log
      )
    )
  }

  /// For what no rules can allow: `what` is plural and begins the text of the refusal.
  package func requireAdministrator(
    _ caller: Caller,
    _ database: DatabaseID,
    for what: String
  ) throws(FirestoreError) {
    guard case .ruled = try permit(caller, database) else { return }
    throw FirestoreError(.permissionDenied, "\(what) require admin authentication.")
  }

  /// For the administration API, which development leaves open as the emulator does its own.
  package func requireAdministration(_ caller: Caller) throws(FirestoreError) {
    switch (mode, caller) {
    case (_, .administrator), (.development, .nobody): return
    case (.production, .nobody), (_, .user): throw Self.denied
    }
  }

  /// The rules in force for a database.
  ///
  /// The emulator has one ruleset for all databases of a project, and so
  /// has development for those without one of their own.
  private func ruleset(of database: DatabaseID) -> ReleasedRuleset? {
    if let own = rules.current(.firestore(database)) { return own }
    guard case .development = mode, !database.isDefault else { return nil }
    return rules.current(.firestore(DatabaseID(project: database.project)))
  }

  /// What clients hear of every denial.
  package static let denied = FirestoreError(
    .permissionDenied,
    "Missing or insufficient permissions."
  )

  /// The text for credentials that do not verify; production's own.
  package static let invalidCredentials = FirestoreError(
    .unauthenticated,
    "Missing or invalid authentication."
  )

  /// The text for administrators of development that a web page claims to be.
  private static let foreignPage = FirestoreError(
    .permissionDenied,
    "Pages of this origin are no administrators of this development server: --dev-origin names those "
      + "that are."
  )

  /// The token of an `authorization` header; the scheme's case does not matter.
  private static func bearerToken(_ header: String) -> Substring? {
    let scheme = header.prefix(7)
    guard scheme.utf8.count == 7, scheme.lowercased() == "bearer " else { return nil }
    let token = header.dropFirst(7)
    return token.isEmpty ? nil : token
  }

  private static func isEmulatorOwner(_ token: Substring) -> Bool {
    token.utf8.count < 6 && token.lowercased() == "owner" || token.hasPrefix("ya29.")
  }
}
