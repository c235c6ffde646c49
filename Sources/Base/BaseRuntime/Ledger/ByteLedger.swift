import Synchronization

/// The ledger of the bytes that clients make the process hold; a process has one, from the gateway down to the engine.
///
/// They are unfinished requests, requests in handlers, commits queued for their group, unread
/// responses, sessions, and queued changes for listeners.
///
/// Every connection and every session has an account, and so has the server itself for bytes that
/// it holds on behalf of many. An account's first bytes, its *allowance*, are its own; what it
/// holds beyond comes out of one pool, of which accounts whose callers have shown no credentials
/// share a part. The pool is shared by dynamic thresholds (Choudhury and Hahne): an address may
/// hold at most as many bytes of the pool as are left, and an account at most as many as its
/// address could still take. So a single client gets a third of an idle pool, which is enough for
/// the largest request there is, and however many clients press, something is left for the next
/// one.
///
/// No request waits for room: without room it is refused, or releases what it holds. So no holder
/// of bytes waits for others who need some.
///
/// Any thread may call. Within its allowance an account takes no lock but its own.
package final class ByteLedger: Sendable {
  /// The purpose of the bytes.
  package enum Kind: Int, Sendable, CaseIterable {
    /// Requests, from the first byte of a head until they are answered.
    case request
    /// Answers that have not left for the socket.
    case response
    /// State that sessions keep between requests.
    case session
    /// Commits on their way into a group, as far as they take more than their requests.
    case commit
    /// Commits that wait for the listeners' thread.
    case feed
    /// Changes that wait for listeners who read too slowly.
    case listener
  }

  /// The most bytes that accounts may hold.
  package struct Limits: Sendable, Equatable {
    /// Bytes of the pool.
    package var poolBytes = 512 << 20
    /// The part of the pool that accounts without credentials may hold together.
    package var anonymousPoolBytes = 64 << 20
    /// The allowance of an account without credentials.
    package var anonymousAllowance = 16 << 10
    /// The allowance of an account whose caller has shown credentials.
    package var trustedAllowance = 64 << 10

    /// The product's limits.
    package init() {}
  }

  /// The bytes held of the pool.
  struct Use: Sendable {
    var anonymous = 0
    var trusted = 0

    var total: Int { anonymous + trusted }
    var isEmpty: Bool { anonymous == 0 && trusted == 0 }
  }

  private struct State {
    var use = Use()
    /// Addresses that hold anything of the pool.
    var addresses: [ClientAddress: Use] = [:]
  }

  /// The bounds of the pool and the allowances, fixed for the ledger's life.
  package let limits: Limits
  private let state = Mutex(State())
  /// By kind.
  private let totals = Kind.allCases.map { _ in SharedTotal() }

  /// An empty ledger.
  package init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// A new account for something that a client at that address opened.
  package func account(of address: ClientAddress) -> LedgerAccount {
    LedgerAccount(ledger: self, address: address)
  }

  /// A new account for what the server itself holds on behalf of many.
  package func serverAccount() -> LedgerAccount {
    let account = account(of: .server)
    account.trust()
    return account
  }

  /// All bytes of that kind that are held, those within allowances too.
  package func bytes(of kind: Kind) -> Int {
    totals[kind.rawValue].value.load(ordering: .relaxed)
  }

  /// Bytes of the pool in use.
  package var poolBytes: Int { state.withLock { $0.use.total } }

  // MARK: For accounts

  func count(_ bytes: Int, _ kind: Kind) {
    totals[kind.rawValue].value.wrappingAdd(bytes, ordering: .relaxed)
  }

  /// Takes bytes out of the pool for an account that holds `held` of it; false where its share is used up.
  func draw(_ bytes: Int, held: Int, isTrusted: Bool, _ address: ClientAddress) -> Bool {
    state.withLock { state in
      let own = state.addresses[address] ?? Use()
      var addressRoom = limits.poolBytes - state.use.total - own.total
      if !isTrusted {
        let room = limits.anonymousPoolBytes - state.use.anonymous - own.anonymous
        addressRoom = min(addressRoom, room)
      }
      guard held + bytes <= addressRoom else { return false }
      Self.add(bytes, isTrusted: isTrusted, address, to: &state)
      return true
    }
  }

  /// Counts bytes of the pool that are held already, or gives back a negative number of them.
  func adjust(_ bytes: Int, isTrusted: Bool, _ address: ClientAddress) {
    guard bytes != 0 else { return }
    state.withLock { Self.add(bytes, isTrusted: isTrusted, address, to: &$0) }
  }

  /// Moves an account's bytes of the pool to those of callers with credentials.
  func trust(_ bytes: Int, _ address: ClientAddress) {
    guard bytes != 0 else { return }
    state.withLock { state in
      Self.add(-bytes, isTrusted: false, address, to: &state)
      Self.add(bytes, isTrusted: true, address, to: &state)
    }
  }

  private static func add(
    _ bytes: Int,
    isTrusted: Bool,
    _ address: ClientAddress,
    to state: inout State
  ) {
    var own = state.addresses[address] ?? Use()
    if isTrusted {
      state.use.trusted += bytes
      own.trusted += bytes
    } else {
      state.use.anonymous += bytes
      own.anonymous += bytes
    }
    state.addresses[address] = own.isEmpty ? nil : own
  }
}

/// A number that several threads add to.
private final class SharedTotal: Sendable {
  let value = Atomic<Int>(0)
}
