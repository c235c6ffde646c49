import BaseText
import KeyValueStore
import Synchronization

/// The accounts of every scope: the one object behind all calls on users, tokens and keys.
///
/// It keeps everything in the engine, under keys of its own (`AccountKey`). All calls block, some
/// for as long as hashing a password takes: call from threads that serve accounts alone, not from
/// those of the database. Any thread may call. Everything that must be unique, single-use or
/// counted is decided inside the body of one write, and the engine runs one write at a time. The
/// memory of it changes when the write is durable, before the next one. No lock is held while a
/// write waits for the disk.
package final class Accounts: Sendable {
  let engine: any KeyValueEngine
  /// The settings that all scopes share, as the server was started with them.
  package let configuration: AccountsConfiguration
  /// The threads that hash passwords.
  package let passwords: PasswordPool
  /// The keys that sign tokens.
  package let signingKeys: SigningKeys
  /// The accounts of back ends.
  package let serviceAccounts: ServiceAccounts
  /// The seal of this process's unsigned tokens.
  let seal: UnsignedSeal
  /// The counts of attempts, with their limits.
  package let limits: AttemptLimits
  let revocations = Revocations()
  private let companion = Mutex<RevocationCompanion?>(nil)
  private let follower = Mutex<AccountFollower?>(nil)
  private let servedOrigin: Mutex<String>
  private let knownGate = Mutex<(any SignInGate)?>(nil)
  /// The scopes' records, as far as they were asked for.
  let projects = Mutex(KnownProjects())
  /// True if this engine has followed the writes of other engines since the beginning.
  let isFollowing = Atomic(false)

  /// Writes what goes along with the revocation of a user's tokens, in the same group.
  package typealias RevocationCompanion =
    @Sendable (any KeyValueGroup, AccountScope, _ uid: Text) throws -> Void

  /// Serves the accounts in that engine.
  package init(
    engine: any KeyValueEngine,
    configuration: AccountsConfiguration = AccountsConfiguration(),
    passwords: PasswordPool = PasswordPool()
  ) throws {
    self.engine = engine
    self.configuration = configuration
    self.passwords = passwords
    servedOrigin = Mutex(configuration.origin)
    signingKeys = try SigningKeys(engine: engine, configuration: configuration)
    serviceAccounts = try ServiceAccounts(engine: engine, configuration: configuration)
    seal = UnsignedSeal(random: configuration.random)
    limits = AttemptLimits(configuration.limits, clock: configuration.clock)
    try observeOthers()
  }

  /// The accounts of one scope; scopes need no making.
  package subscript(scope: AccountScope) -> ProjectAccounts {
    ProjectAccounts(accounts: self, scope: scope)
  }

  /// Decides about sign-ups and sign-ins; nil lets all pass.
  var gate: (any SignInGate)? { knownGate.withLock { $0 } }

  /// Has a gate decide about sign-ups and sign-ins.
  package func guardSignIns(by gate: any SignInGate) { knownGate.withLock { $0 = gate } }

  /// The accounts of one project.
  package func project(_ id: Text) -> ProjectAccounts { self[.project(id)] }

  /// Lets the next signing key take over, with overlap or at once.
  ///
  /// With `immediately`, every ID token, session cookie and access token ends at once. A client
  /// with a refresh token continues with it.
  package func rotateSigningKeys(immediately: Bool) throws {
    try signingKeys.rotate(immediately: immediately)
    guard immediately else { return }
    seal.replaceKey()
    revocations.endAll(issuedUpTo: now / 1_000_000)
  }

  /// The secret of `IdentityProviders`, made by its first use: a sign-in at a provider's page outlives the process, and ends on
  /// whichever engine of the store.
  ///
  /// Blocks.
  package func providersSecret() throws -> [UInt8] {
    try KeptSecret.read(AccountKey.prefix(.providersSecret), in: engine)
  }

  /// The address at which clients reach the server, without a slash at the end.
  package var origin: String { servedOrigin.withLock { $0 } }

  /// Says which port the system chose for a configured origin that leaves it open by `:0`.
  package func listens(onPort port: Int) {
    servedOrigin.withLock { if $0.hasSuffix(":0") { $0 = $0.dropLast() + String(port) } }
  }

  /// Registers for early revocations of tokens.
  ///
  /// The observer runs as soon as the change is durable, mostly on the engine's writing thread: it only takes
  /// note. Observers are never removed.
  package func onRevocation(_ observer: @escaping @Sendable (Revocation) -> Void) {
    revocations.observe(observer)
  }

  /// Has `companion` write along with every revocation of a user; what it throws fails the revocation.
  package func writeAlongRevocations(_ companion: @escaping RevocationCompanion) {
    self.companion.withLock { $0 = companion }
  }

  /// Has a follower write along with every account that is made or deleted.
  package func writeAlongChanges(_ follower: AccountFollower) {
    self.follower.withLock { $0 = follower }
  }

  /// Microseconds since 1970.
  var now: Int64 { configuration.clock.now() }

  /// Runs a write on one scope's users; reports the users who lost tokens once it is durable, in
  /// the order of the writes.
  func write<R>(_ scope: AccountScope, _ body: (UserGroup) throws -> R) throws -> R {
    var revoked: [Revocations.Event] = []
    var begun: [(uid: Text, session: Int64)] = []
    let companion = companion.withLock { $0 }
    let follower = follower.withLock { $0 }
    return try engine.write { group in
      let users = UserGroup(group: group, scope: scope)
      let result = try body(users)
      for event in users.revoked { try companion?(group, scope, event.uid) }
      for change in users.changes { try follower?.write(group, scope, change) }
      (revoked, begun) = (users.revoked, users.begun)
      return result
    } settled: { outcome in
      guard case .success = outcome else { return }
      follower?.landed()
      for event in revoked { revocations.record(event, at: now) }
      for user in begun { revocations.begin(scope, user.uid, session: user.session, at: now) }
    }
  }

  /// Runs a read on one scope's users.
  func read<R>(_ scope: AccountScope, _ body: (UserReader) throws -> R) throws -> R {
    try engine.read { try body(UserReader(reader: $0, scope: scope)) }
  }
}

/// Writes the consequences of created and deleted accounts in the groups of their changes.
package struct AccountFollower: Sendable {
  /// Writes along with a change; what it throws fails the change.
  package let write: @Sendable (any KeyValueGroup, AccountScope, AccountChange) throws -> Void
  /// Called when a group is durable, on the writing thread.
  package let landed: @Sendable () -> Void

  /// A follower of these two steps.
  package init(
    write: @escaping @Sendable (any KeyValueGroup, AccountScope, AccountChange) throws -> Void,
    landed: @escaping @Sendable () -> Void
  ) {
    self.write = write
    self.landed = landed
  }
}
