import Synchronization

/// The memory that one connection or session holds of the process, by the `ByteLedger`.
///
/// Code that holds bytes on a client's behalf reserves them first, or charges them if they are held
/// already, and releases as many when they are gone. `close`, or the account's end, gives back the
/// rest. Any thread may call.
package final class LedgerAccount: Sendable {
  private struct State {
    /// Bytes by kind; nil once the account is closed.
    var held: [Int]? = Array(repeating: 0, count: ByteLedger.Kind.allCases.count)
    var total = 0
    /// The part of the held bytes that came out of the pool.
    var drawn = 0
    var isTrusted = false
    /// True if the account still has its allowance.
    var hasAllowance = true
  }

  private let ledger: ByteLedger
  private let address: ClientAddress
  private let state = Mutex(State())

  init(ledger: ByteLedger, address: ClientAddress) {
    self.ledger = ledger
    self.address = address
  }

  deinit { close() }

  /// All bytes that the account holds.
  package var bytes: Int { state.withLock { $0.total } }

  /// True if the account's caller has shown credentials.
  package var isTrusted: Bool { state.withLock { $0.isTrusted } }

  /// Takes that many bytes; false, and nothing taken, where the account's share is used up or the
  /// account is closed.
  package func reserve(_ bytes: Int, for kind: ByteLedger.Kind) -> Bool {
    state.withLock { state in
      guard state.held != nil else { return false }
      let due = due(for: state.total + bytes, state)
      if due > 0 {
        let isGranted = ledger.draw(
          due,
          held: state.drawn,
          isTrusted: state.isTrusted,
          address
        )
        guard isGranted else { return false }
      }
      state.drawn += max(due, 0)
      add(bytes, kind, &state)
      return true
    }
  }

  /// Counts bytes that are held already, beyond any share of the account.
  package func charge(_ bytes: Int, for kind: ByteLedger.Kind) {
    state.withLock { state in
      guard state.held != nil else { return }
      let due = max(due(for: state.total + bytes, state), 0)
      ledger.adjust(due, isTrusted: state.isTrusted, address)
      state.drawn += due
      add(bytes, kind, &state)
    }
  }

  /// Gives back bytes that were reserved or charged.
  package func release(_ bytes: Int, for kind: ByteLedger.Kind) {
    guard bytes > 0 else { return }
    state.withLock { state in
      guard let held = state.held else { return }
      assert(bytes <= held[kind.rawValue], "more bytes released than were held")
      add(-min(bytes, held[kind.rawValue]), kind, &state)
      settle(&state)
    }
  }

  /// The account's caller has shown credentials that are valid: it may hold more.
  package func trust() {
    state.withLock { state in
      guard state.held != nil, !state.isTrusted else { return }
      ledger.trust(state.drawn, address)
      state.isTrusted = true
      settle(&state)
    }
  }

  /// The connection has ended: bytes that handlers still hold for it come out of the pool.
  ///
  /// So short-lived connections have no more than lasting ones.
  package func forfeitAllowance() {
    state.withLock { state in
      guard state.held != nil, state.hasAllowance else { return }
      state.hasAllowance = false
      let due = due(for: state.total, state)
      ledger.adjust(due, isTrusted: state.isTrusted, address)
      state.drawn += due
    }
  }

  /// Gives everything back; nothing can be reserved after.
  package func close() {
    state.withLock { state in
      guard let held = state.held else { return }
      for kind in ByteLedger.Kind.allCases where held[kind.rawValue] > 0 {
        ledger.count(-held[kind.rawValue], kind)
      }
      ledger.adjust(-state.drawn, isTrusted: state.isTrusted, address)
      state.held = nil
      state.total = 0
      state.drawn = 0
    }
  }

  /// Returns the bytes that an account of that size has to draw from the pool beyond those that it
  /// has drawn; negative where it has drawn too many.
  private func due(for total: Int, _ state: State) -> Int {
    let limits = ledger.limits
    let allowance = state.isTrusted ? limits.trustedAllowance : limits.anonymousAllowance
    return max(total - (state.hasAllowance ? allowance : 0), 0) - state.drawn
  }

  /// Gives back bytes that were drawn and are no longer needed.
  private func settle(_ state: inout State) {
    let due = due(for: state.total, state)
    guard due < 0 else { return }
    ledger.adjust(due, isTrusted: state.isTrusted, address)
    state.drawn += due
  }

  private func add(_ bytes: Int, _ kind: ByteLedger.Kind, _ state: inout State) {
    state.held?[kind.rawValue] += bytes
    state.total += bytes
    ledger.count(bytes, kind)
  }
}
