import Synchronization

/// The clients that are connected and wait for their messages.
///
/// A listener receives the messages for its mailbox and keeps a bounded number of them, so that a
/// slow client costs no more than a fast one. A newer connection of a registration ends the older
/// one. Connections are bounded, in all and, when half of them are taken, for each network. Any
/// thread may call; nothing blocks.
package final class DirectStreams: Sendable {
  private struct Entry {
    let listener: any DirectListener
    let network: String
    /// The time for which the client may be silent.
    let silence: Duration
    /// The time of its last sign of life.
    var heard: ContinuousClock.Instant
  }

  private struct State {
    private(set) var entries: [MailboxID: Entry] = [:]
    /// Connections by network.
    private(set) var networks: [String: Int] = [:]
    private(set) var isClosed: Bool

    init(isClosed: Bool = false) { self.isClosed = isClosed }

    mutating func add(_ entry: Entry, _ mailbox: MailboxID) {
      remove(mailbox)
      entries[mailbox] = entry
      networks[entry.network, default: 0] += 1
    }

    mutating func hear(_ mailbox: MailboxID, _ now: ContinuousClock.Instant) {
      entries[mailbox]?.heard = now
    }

    @discardableResult
    mutating func remove(_ mailbox: MailboxID) -> Entry? {
      guard let entry = entries.removeValue(forKey: mailbox) else { return nil }
      networks[entry.network, default: 1] -= 1
      if networks[entry.network] == 0 { networks[entry.network] = nil }
      return entry
    }
  }

  /// One network has one in so many when half of all are taken.
  private static let share = 16

  private let limit: Int
  private let state = Mutex(State())
  /// The memory of the clients; nil where others write the same store.
  let memory: ClientMemory?

  init(limit: Int, memory: ClientMemory? = nil) {
    self.limit = limit
    self.memory = memory
  }

  /// Connects a client that sends a sign of life every so often.
  ///
  /// - Throws: `.unavailable` if there are too many clients, of its network or in all, or the server is stopping.
  package func open(
    _ mailbox: MailboxID,
    _ listener: any DirectListener,
    network: String,
    pings: Duration,
    now: ContinuousClock.Instant = .now
  ) throws(MessagingError) {
    let replaced = try state.withLock { state throws(MessagingError) -> (any DirectListener)? in
      let known = state.entries[mailbox]
      if state.isClosed { throw Self.stopping }
      guard known != nil || hasRoom(for: network, state) else { throw Self.full }
      let silence = pings * 5 / 2
      let entry = Entry(listener: listener, network: network, silence: silence, heard: now)
      state.add(entry, mailbox)
      memory?.add(mailbox)
      return known?.listener
    }
    replaced?.finish()
  }

  private static let stopping = MessagingError(.unavailable, "The server is stopping.")
  private static let full = MessagingError(
    .unavailable,
    "There are too many streams. Try again later."
  )

  private func hasRoom(for network: String, _ state: State) -> Bool {
    let isCrowded = state.entries.count >= limit / 2
    let held = state.networks[network, default: 0]
    return state.entries.count < limit && (!isCrowded || held < limit / Self.share)
  }

  /// Forgets a connection that is over, unless a newer one took its place.
  package func close(_ mailbox: MailboxID, _ listener: any DirectListener) {
    state.withLock { state in
      guard state.entries[mailbox]?.listener === listener else { return }
      state.remove(mailbox)
      memory?.remove(mailbox)
    }
  }

  /// Returns true if a client is connected.
  func isConnected(_ mailbox: MailboxID) -> Bool {
    state.withLock { $0.entries[mailbox] != nil }
  }

  /// True if one more client that is not connected yet would be refused.
  package var isFull: Bool { state.withLock { $0.isClosed || $0.entries.count >= limit } }

  /// Notifies a mailbox's client of a message.
  func deliver(_ arrival: MailboxArrival) {
    state.withLock { $0.entries[arrival.mailbox]?.listener }?.receive(arrival)
  }

  /// Records a client's sign of life.
  package func hear(_ mailbox: MailboxID, now: ContinuousClock.Instant = .now) {
    state.withLock { $0.hear(mailbox, now) }
  }

  /// Ends a mailbox's connection.
  func end(_ mailbox: MailboxID) {
    let ended = state.withLock { state in
      memory?.remove(mailbox)
      return state.remove(mailbox)
    }
    ended?.listener.finish()
  }

  /// Ends the connections whose clients were silent for too long.
  package func sweep(now: ContinuousClock.Instant) {
    let ended = state.withLock { state in
      let silent = state.entries.filter { now - $0.value.heard > $0.value.silence }
      for mailbox in silent.keys {
        state.remove(mailbox)
        memory?.remove(mailbox)
      }
      return silent.values.map(\.listener)
    }
    for listener in ended { listener.finish() }
  }

  /// Ends all connections and takes no more.
  package func close() {
    let ended = state.withLock { state in
      defer { state = State(isClosed: true) }
      memory?.removeAll()
      return state.entries.values.map(\.listener)
    }
    for listener in ended { listener.finish() }
  }

  /// Clients that are connected.
  package var count: Int { state.withLock { $0.entries.count } }
}
