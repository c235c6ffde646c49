import FirestoreModel
import Synchronization

/// The ledger of the bytes that clients make the process hold: unfinished requests, requests whose
/// handlers run, answers that nobody has read, sessions.
///
/// Every connection and every session has an account. An account's first bytes, its *allowance*, are
/// its own; what it holds beyond comes out of one pool, of which accounts whose callers have shown no
/// credentials share a part. The pool is shared by dynamic thresholds (Choudhury and Hahne): an
/// address may hold at most as many bytes of the pool as are left, and an account at most as many as
/// its address could still take. So a single client gets a third of an idle pool, which is enough for
/// the largest request there is, and however many clients press, something is left for the next one.
///
/// Any thread may call. Within its allowance an account takes no lock but its own.
package final class ByteLedger: Sendable {
  /// What the bytes are held for.
  package enum Kind: Int, Sendable, CaseIterable {
    /// Requests, from the first byte of a head until they are answered.
    case request
    /// Answers that have not left for the socket.
    case response
    /// What sessions keep between requests.
    case session
  }

  /// How much accounts may hold.
  package struct Limits: Sendable, Equatable {
    /// Bytes of the pool.
    package var poolBytes = 512 << 20
    /// Of those, what accounts without credentials may hold together.
    package var anonymousPoolBytes = 64 << 20
    /// The allowance of an account without credentials.
    package var anonymousAllowance = 16 << 10
    /// The allowance of an account whose caller has shown credentials.
    package var trustedAllowance = 64 << 10

    /// The product's limits.
    package init() {}
  }

  /// What a caller is told for whose request there is no room.
  package static let exhausted = FirestoreError(
    .resourceExhausted,
    "The server's memory for requests is in use. Try again later."
  )

  /// What is held of the pool.
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

  let limits: Limits
  private let state = Mutex(State())
  private let requestBytes = Atomic<Int>(0)
  private let responseBytes = Atomic<Int>(0)
  private let sessionBytes = Atomic<Int>(0)

  /// An empty ledger.
  package init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// A new account for something that a client at that address opened.
  package func account(of address: ClientAddress) -> LedgerAccount {
    LedgerAccount(ledger: self, address: address)
  }

  /// All bytes of that kind that are held, those within allowances too.
  package func bytes(of kind: Kind) -> Int {
    switch kind {
    case .request: requestBytes.load(ordering: .relaxed)
    case .response: responseBytes.load(ordering: .relaxed)
    case .session: sessionBytes.load(ordering: .relaxed)
    }
  }

  /// Bytes of the pool in use.
  package var poolBytes: Int { state.withLock { $0.use.total } }

  /// The ledger's figures for the metrics page.
  var metrics: MetricsRegistry.Source {
    { [self] in
      [
        ("client_memory_request_bytes", Double(bytes(of: .request))),
        ("client_memory_response_bytes", Double(bytes(of: .response))),
        ("client_memory_session_bytes", Double(bytes(of: .session))),
        ("client_memory_pool_bytes", Double(poolBytes)),
        ("client_memory_pool_limit_bytes", Double(limits.poolBytes)),
      ]
    }
  }

  // MARK: For accounts

  func count(_ bytes: Int, _ kind: Kind) {
    switch kind {
    case .request: requestBytes.wrappingAdd(bytes, ordering: .relaxed)
    case .response: responseBytes.wrappingAdd(bytes, ordering: .relaxed)
    case .session: sessionBytes.wrappingAdd(bytes, ordering: .relaxed)
    }
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
