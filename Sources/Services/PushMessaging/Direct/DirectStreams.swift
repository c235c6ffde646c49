import FirestoreModel
import Synchronization

/// The clients that are connected and wait for their messages.
///
/// A stream only says that it is time to look into the mailbox, so that a slow client costs no more than a fast one. A newer
/// connection of a registration ends the older one. Any thread may call; nothing blocks.
package final class DirectStreams: Sendable {
  /// One client's connection.
  package final class Connection: Sendable {
    package let mailbox: MailboxID
    /// Yields where the mailbox may have something new, and ends with the connection.
    package let wakes: AsyncStream<Void>
    fileprivate let continuation: AsyncStream<Void>.Continuation
    fileprivate let silence: Duration

    fileprivate init(_ mailbox: MailboxID, silence: Duration) {
      self.mailbox = mailbox
      self.silence = silence
      (wakes, continuation) = AsyncStream.makeStream(
        of: Void.self,
        bufferingPolicy: .bufferingNewest(1)
      )
    }
  }

  private struct Entry {
    let connection: Connection
    /// When the client was heard last.
    var heard: ContinuousClock.Instant
  }

  private struct State {
    var entries: [MailboxID: Entry] = [:]
    var isClosed = false
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  /// Connects a client that will be heard every so often; nil where there are too many, or the server ends.
  package func open(
    _ mailbox: MailboxID,
    pings: Duration,
    now: ContinuousClock.Instant = .now
  ) -> Connection? {
    let connection = Connection(mailbox, silence: pings * 5 / 2)
    let older = state.withLock { state -> Result<Connection?, CancellationError> in
      let known = state.entries[mailbox]
      guard !state.isClosed, known != nil || state.entries.count < limit else {
        return .failure(CancellationError())
      }
      state.entries[mailbox] = Entry(connection: connection, heard: now)
      return .success(known?.connection)
    }
    guard case .success(let replaced) = older else { return nil }
    replaced?.continuation.finish()
    return connection
  }

  /// Ends a connection, unless a newer one took its place.
  package func close(_ connection: Connection) {
    state.withLock { state in
      guard state.entries[connection.mailbox]?.connection === connection else { return }
      state.entries[connection.mailbox] = nil
    }
    connection.continuation.finish()
  }

  /// Whether a client is connected.
  func isConnected(_ mailbox: MailboxID) -> Bool {
    state.withLock { $0.entries[mailbox] != nil }
  }

  /// Tells a mailbox's client that there is something new.
  func wake(_ mailbox: MailboxID) {
    state.withLock { $0.entries[mailbox]?.connection }?.continuation.yield()
  }

  /// Notes that a client was heard.
  package func hear(_ mailbox: MailboxID, now: ContinuousClock.Instant = .now) {
    state.withLock { $0.entries[mailbox]?.heard = now }
  }

  /// Ends a mailbox's connection.
  func end(_ mailbox: MailboxID) {
    state.withLock { $0.entries.removeValue(forKey: mailbox) }?.connection.continuation.finish()
  }

  /// Ends the connections whose clients were silent for too long.
  package func sweep(now: ContinuousClock.Instant) {
    let ended = state.withLock { state in
      let silent = state.entries.filter { now - $0.value.heard > $0.value.connection.silence }
      for mailbox in silent.keys { state.entries[mailbox] = nil }
      return silent.values.map(\.connection)
    }
    for connection in ended { connection.continuation.finish() }
  }

  /// Ends all connections and takes no more.
  package func close() {
    let ended = state.withLock { state in
      state.isClosed = true
      defer { state.entries = [:] }
      return state.entries.values.map(\.connection)
    }
    for connection in ended { connection.continuation.finish() }
  }

  /// Clients that are connected.
  package var count: Int { state.withLock { $0.entries.count } }
}
