import BaseText

// Mailboxes and registrations, which are in memory where their clients are connected.

extension DeliveryBook {
  /// A mailbox that was read.
  struct OpenMailbox {
    var state: MailboxState
    /// The mark under which memory may keep it; nil where its client is not connected.
    let mark: ClientMemory.Mark?
    var isChanged = false
  }

  /// A mailbox's head.
  mutating func head(_ mailbox: MailboxID) throws -> MailboxHead {
    try openMailbox(mailbox).state.head
  }

  /// Returns the deliveries with a slot in a mailbox, the oldest first; nil where the store has to
  /// be asked.
  mutating func waiting(_ mailbox: MailboxID) throws -> [WaitingDelivery]? {
    try openMailbox(mailbox).state.waiting
  }

  /// Changes a mailbox's head; written by `finish`.
  mutating func change(_ mailbox: MailboxID, _ body: (inout MailboxHead) -> Void) throws {
    var open = try openMailbox(mailbox)
    body(&open.state.head)
    if open.state.head.count == 0 { open.state.waiting = [] }
    open.isChanged = true
    mailboxes[mailbox] = open
  }

  /// Forgets the head of a mailbox in which nothing waits.
  mutating func deleteHead(_ mailbox: MailboxID) throws {
    _ = memory?.take(mailbox)
    mailboxes[mailbox] = nil
    try group.delete(MessagingKey(.mailboxHead, mailbox.project, mailbox.number).bytes)
  }

  private mutating func openMailbox(_ mailbox: MailboxID) throws -> OpenMailbox {
    if let open = mailboxes[mailbox] { return open }
    let taken = memory?.take(mailbox)
    let state = try taken?.known ?? storedMailbox(mailbox)
    let open = OpenMailbox(state: state, mark: taken?.mark)
    mailboxes[mailbox] = open
    return open
  }

  private func storedMailbox(_ mailbox: MailboxID) throws -> MailboxState {
    let key = MessagingKey(.mailboxHead, mailbox.project, mailbox.number).bytes
    let head = try group.get(key).map { try MailboxHead(decoding: $0) } ?? MailboxHead()
    return MailboxState(head: head, waiting: head.count == 0 ? [] : nil)
  }

  // MARK: Deliveries

  /// A delivery by its key, from memory where it has a slot in a mailbox that is there.
  mutating func delivery(
    _ key: [UInt8],
    _ project: Text,
    _ id: Int64,
    _ number: Int64
  ) throws -> Delivery? {
    let mailbox = MailboxID(project: project, number: number)
    let isInMemory = mailboxes[mailbox] != nil || memory?.has(mailbox) == true
    if isInMemory, let known = try waiting(mailbox)?.first(where: { $0.message == id }) {
      return known.delivery
    }
    return try group.get(key).map { try Delivery(decoding: $0) }
  }

  /// Keeps a delivery as it is now.
  mutating func keep(
    _ delivery: Delivery,
    _ key: [UInt8],
    _ project: Text,
    _ id: Int64,
    _ number: Int64
  ) throws {
    try group.put(key, delivery.encoded)
    guard delivery.channel == .direct, delivery.hasSlot, !delivery.isHeld else { return }
    let mailbox = MailboxID(project: project, number: number)
    mailboxes[mailbox]?.state.keep(WaitingDelivery(message: id, delivery: delivery))
  }

  // MARK: Registrations

  /// The live registration of a token, as `PushService.registration` finds it.
  mutating func registration(of token: String, _ project: Text) throws -> Registration {
    if let known = memory?.registration(of: token), known.project == project { return known }
    let found = try PushService.registration(of: token, project, group)
    if found.tokenHash == RegistrationToken.hash(token),
      let mark = memory?.registrationMark(found.mailbox)
    {
      effects.registrations.append((token, found, mark))
    }
    return found
  }

  /// Keeps a registration as it is now.
  func save(_ registration: Registration) throws {
    memory?.change(registration.mailbox)
    let key = MessagingKey(.registration, registration.project, registration.number).bytes
    try group.put(key, registration.encoded)
  }

  /// Deletes a registration and its token.
  func delete(_ registration: Registration) throws {
    memory?.change(registration.mailbox)
    let key = MessagingKey(.registration, registration.project, registration.number).bytes
    try group.delete(key)
    try group.delete(MessagingKey(.token, bytes: registration.tokenHash).bytes)
  }
}

extension MailboxState {
  fileprivate mutating func keep(_ entry: WaitingDelivery) {
    guard var entries = waiting else { return }
    // It is changed where it is held once.
    waiting = nil
    if let index = entries.firstIndex(where: { $0.message == entry.message }) {
      entries[index] = entry
    } else if entries.count < Self.limit {
      entries.append(entry)
    } else {
      return
    }
    waiting = entries
  }

  /// Forgets a delivery that gave up its slot.
  mutating func noteGone(_ message: Int64) {
    waiting?.removeAll { $0.message == message }
  }
}
