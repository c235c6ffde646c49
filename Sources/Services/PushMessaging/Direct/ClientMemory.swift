import FirestoreModel
import Synchronization

/// A mailbox as the engine's writing thread keeps it in memory.
struct MailboxState: Sendable {
  var head: MailboxHead
  /// What has a slot in it, the oldest first; nil where the store has to be asked.
  var waiting: [WaitingDelivery]?

  /// Deliveries that are kept of one mailbox at most.
  static let limit = 8
}

/// A delivery to a client that connects, while it has a slot in the client's mailbox.
struct WaitingDelivery: Sendable {
  /// The message's number.
  let message: Int64
  var delivery: Delivery
}

/// What is known of clients that are connected, so that a message and its acknowledgement need not read it again.
///
/// Bodies of writes ask, and completions remember what is durable then: all on the engine's writing thread. A body that
/// takes or changes something takes it out of here, and what an earlier body of the same group saw of it is not remembered any
/// more. So nothing that was rolled back is ever here, and what is missing is in the store. Only for an engine that has its
/// store alone.
final class ClientMemory: Sendable {
  /// Names what a body saw: it changes with the next body that takes or changes the same.
  struct Mark: Sendable, Equatable {
    fileprivate let number: Int
  }

  private struct Client {
    /// The token that the client or its back end showed, and the live registration that it is of.
    var registration: (token: String, known: Registration)?
    var registrationMark: Mark
    var mailbox: MailboxState?
    var mailboxMark: Mark
  }

  private struct State {
    var clients: [MailboxID: Client] = [:]
    var tokens: [String: MailboxID] = [:]
    var last = 0

    mutating func newMark() -> Mark {
      last += 1
      return Mark(number: last)
    }

    mutating func forgetRegistration(_ mailbox: MailboxID) {
      guard let token = clients[mailbox]?.registration?.token else { return }
      clients[mailbox]?.registration = nil
      tokens[token] = nil
    }
  }

  private let state = Mutex(State())

  /// Begins to remember a client that connects.
  func add(_ mailbox: MailboxID) {
    state.withLock { state in
      state.forgetRegistration(mailbox)
      let mark = state.newMark()
      state.clients[mailbox] = Client(registrationMark: mark, mailboxMark: mark)
    }
  }

  /// Forgets a client that is connected no more.
  func remove(_ mailbox: MailboxID) {
    state.withLock { state in
      state.forgetRegistration(mailbox)
      state.clients[mailbox] = nil
    }
  }

  /// Forgets all clients.
  func removeAll() {
    state.withLock { ($0.clients, $0.tokens) = ([:], [:]) }
  }

  // MARK: Registrations

  /// The live registration of a token.
  func registration(of token: String) -> Registration? {
    state.withLock { state in
      state.tokens[token].flatMap { state.clients[$0]?.registration?.known }
    }
  }

  /// What a registration that is read now can be remembered by; nil where its client is not connected.
  func registrationMark(_ mailbox: MailboxID) -> Mark? {
    state.withLock { $0.clients[mailbox]?.registrationMark }
  }

  /// Remembers the live registration that was read when there was a mark.
  func remember(_ registration: Registration, of token: String, _ mark: Mark) {
    state.withLock { state in
      let mailbox = registration.mailbox
      guard state.clients[mailbox]?.registrationMark == mark else { return }
      state.forgetRegistration(mailbox)
      state.clients[mailbox]?.registration = (token, registration)
      state.tokens[token] = mailbox
    }
  }

  /// Forgets a registration that a body changes.
  func change(_ mailbox: MailboxID) {
    state.withLock { state in
      guard state.clients[mailbox] != nil else { return }
      state.forgetRegistration(mailbox)
      let mark = state.newMark()
      state.clients[mailbox]?.registrationMark = mark
    }
  }

  // MARK: Mailboxes

  /// Whether a mailbox is remembered.
  func has(_ mailbox: MailboxID) -> Bool {
    state.withLock { $0.clients[mailbox]?.mailbox != nil }
  }

  /// Takes a mailbox, of which a body's own state counts from now on; nil where its client is not connected.
  func take(_ mailbox: MailboxID) -> (known: MailboxState?, mark: Mark)? {
    state.withLock { state in
      guard let known = state.clients[mailbox] else { return nil }
      let mark = state.newMark()
      state.clients[mailbox]?.mailbox = nil
      state.clients[mailbox]?.mailboxMark = mark
      return (known.mailbox, mark)
    }
  }

  /// Remembers a mailbox as the body left it that took it under a mark.
  func put(_ mailbox: MailboxState, of id: MailboxID, _ mark: Mark) {
    state.withLock { state in
      guard state.clients[id]?.mailboxMark == mark else { return }
      state.clients[id]?.mailbox = mailbox
    }
  }
}
