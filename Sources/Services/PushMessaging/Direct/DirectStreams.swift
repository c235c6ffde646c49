import FirestoreModel
import Synchronization

/// The clients that are connected and wait for their messages.
///
/// A listener hears of what comes into its mailbox and keeps a bounded number of messages, so that a slow client costs no more
/// than a fast one. A newer connection of a registration ends the older one. Any thread may call; nothing blocks.
package final class DirectStreams: Sendable {
  private struct Entry {
    let listener: any DirectListener
    /// How long the client may be silent.
    let silence: Duration
    /// When it was heard last.
    var heard: ContinuousClock.Instant
  }

  private struct State {
    var entries: [MailboxID: Entry] = [:]
    var isClosed = false
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  /// Connects a client that will be heard every so often; false where there are too many, or the server ends.
  package func open(
    _ mailbox: MailboxID,
    _ listener: any DirectListener,
    pings: Duration,
    now: ContinuousClock.Instant = .now
  ) -> Bool {
    let (isOpen, replaced) = state.withLock { state -> (Bool, (any DirectListener)?) in
      let known = state.entries[mailbox]
      guard !state.isClosed, known != nil || state.entries.count < limit else {
        return (false, nil)
      }
      state.entries[mailbox] = Entry(listener: listener, silence: pings * 5 / 2, heard: now)
      return (true, known?.listener)
    }
    replaced?.finish()
    return isOpen
  }

  /// Forgets a connection that is over, unless a newer one took its place.
  package func close(_ mailbox: MailboxID, _ listener: any DirectListener) {
    state.withLock { state in
      guard state.entries[mailbox]?.listener === listener else { return }
      state.entries[mailbox] = nil
    }
  }

  /// Whether a client is connected.
  func isConnected(_ mailbox: MailboxID) -> Bool {
    state.withLock { $0.entries[mailbox] != nil }
  }

  /// Whether one more client that is not connected yet would be refused.
  package var isFull: Bool { state.withLock { $0.isClosed || $0.entries.count >= limit } }

  /// Tells a mailbox's client of a message.
  func deliver(_ arrival: MailboxArrival) {
    state.withLock { $0.entries[arrival.mailbox]?.listener }?.receive(arrival)
  }

  /// Notes that a client was heard.
  package func hear(_ mailbox: MailboxID, now: ContinuousClock.Instant = .now) {
    state.withLock { $0.entries[mailbox]?.heard = now }
  }

  /// Ends a mailbox's connection.
  func end(_ mailbox: MailboxID) {
    state.withLock { $0.entries.removeValue(forKey: mailbox) }?.listener.finish()
  }

  /// Ends the connections whose clients were silent for too long.
  package func sweep(now: ContinuousClock.Instant) {
    let ended = state.withLock { state in
      let silent = state.entries.filter { now - $0.value.heard > $0.value.silence }
      for mailbox in silent.keys { state.entries[mailbox] = nil }
      return silent.values.map(\.listener)
    }
    for listener in ended { listener.finish() }
  }

  /// Ends all connections and takes no more.
  package func close() {
    let ended = state.withLock { state in
      state.isClosed = true
      defer { state.entries = [:] }
      return state.entries.values.map(\.listener)
    }
    for listener in ended { listener.finish() }
  }

  /// Clients that are connected.
  package var count: Int { state.withLock { $0.entries.count } }
}
