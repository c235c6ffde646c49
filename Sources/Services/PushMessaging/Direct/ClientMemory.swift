import Synchronization

/// A mailbox as the engine's writing thread keeps it in memory.
struct MailboxState: Sendable {
  var head: MailboxHead
  /// The deliveries with a slot in it, the oldest first; nil where the store has to be asked.
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

/// The known state of connected clients, so that a message and its acknowledgement need not read it
/// again.
///
/// Bodies of writes read it, and completions record the durable state: all on the engine's writing
/// thread. A body that takes or changes something removes it from here, and reads of an earlier
/// body of the same group are not remembered any more. So no rolled-back data is ever here, and
/// missing data is in the store. Only for an engine that has its store alone.
final class ClientMemory: Sendable {
  /// Names what a body saw: it changes with the next body that takes or changes the same.
  struct Mark: Sendable, Equatable {
    fileprivate let number: Int
  }

  /// The token that a client or its back end showed, and the live registration that it is of.
  private final class Known {
    let token: String
    let registration: Registration

    init(_ token: String, _ registration: Registration) {
      (self.token, self.registration) = (token, registration)
    }
  }

  /// An object, so that what changes of it moves nothing else.
  private final class Client {
    var known: Known?
    var registrationMark: Mark
    var mailbox: MailboxState?
    var mailboxMark: Mark

    init(_ mark: Mark) { (registrationMark, mailboxMark) = (mark, mark) }
  }

  private struct State {
    var clients: [MailboxID: Client] = [:]
    var tokens: [String: Known] = [:]
    var last = 0

    mutating func newMark() -> Mark {
      last += 1
      return Mark(number: last)
    }

    mutating func forgetRegistration(_ mailbox: MailboxID) {
      guard let client = clients[mailbox], let known = client.known else { return }
      client.known = nil
      tokens[known.token] = nil
    }
  }

  private let state = Mutex(State())

  /// Begins to remember a client that connects.
  func add(_ mailbox: MailboxID) {
    state.withLock { state in
      state.forgetRegistration(mailbox)
      state.clients[mailbox] = Client(state.newMark())
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
    state.withLock { $0.tokens[token]?.registration }
  }

  /// Returns the mark under which memory may keep a registration that is read now; nil where its
  /// client is not connected.
  func registrationMark(_ mailbox: MailboxID) -> Mark? {
    state.withLock { $0.clients[mailbox]?.registrationMark }
  }

  /// Remembers the live registration that was read when there was a mark.
  func remember(_ registration: Registration, of token: String, _ mark: Mark) {
    state.withLock { state in
      let mailbox = registration.mailbox
      guard let client = state.clients[mailbox], client.registrationMark == mark else { return }
      state.forgetRegistration(mailbox)
      let known = Known(token, registration)
      (client.known, state.tokens[token]) = (known, known)
    }
  }

  /// Forgets a registration that a body changes.
  func change(_ mailbox: MailboxID) {
    state.withLock { state in
      guard let client = state.clients[mailbox] else { return }
      state.forgetRegistration(mailbox)
      client.registrationMark = state.newMark()
    }
  }

  // MARK: Mailboxes

  /// Returns true if a mailbox is remembered.
  func has(_ mailbox: MailboxID) -> Bool {
    state.withLock { $0.clients[mailbox]?.mailbox != nil }
  }

  /// Returns those of the deliveries written to streams that may still have their slots; any thread
  /// may call.
  ///
  /// The memory is durable: a delivery that is missing there was acknowledged, or is over in
  /// another way.
  func unsettled(_ written: [WrittenDelivery]) -> [WrittenDelivery] {
    state.withLock { state in
      written.filter { each in
        guard let waiting = state.clients[each.mailbox]?.mailbox?.waiting else { return true }
        return waiting.contains { $0.message == each.message }
      }
    }
  }

  /// Takes a mailbox, of which a body's own state counts from now on; nil where its client is not connected.
  func take(_ mailbox: MailboxID) -> (known: MailboxState?, mark: Mark)? {
    state.withLock { state in
      guard let client = state.clients[mailbox] else { return nil }
      client.mailboxMark = state.newMark()
      return (client.mailbox.take(), client.mailboxMark)
    }
  }

  /// Remembers a mailbox as the body left it that took it under a mark.
  func put(_ mailbox: MailboxState, of id: MailboxID, _ mark: Mark) {
    state.withLock { state in
      guard let client = state.clients[id], client.mailboxMark == mark else { return }
      client.mailbox = mailbox
    }
  }
}
