import BaseText
import KeyValueStore

/// Makes deliveries and moves them from state to state, within one write.
///
/// Keeps what `MessagingKey` says of slots, collapse keys and counts true. Used on the engine's writing thread alone.
struct DeliveryBook {
  let group: any KeyValueGroup
  /// Microseconds.
  let now: Int64

  /// The effects of a change on the waiters in memory, which are notified once it is durable.
  struct Effects: Sendable {
    /// Messages that came into mailboxes.
    var arrivals: [MailboxArrival] = []
    /// Ways whose lanes have something new.
    var lanes: Set<PushChannel> = []
    /// The version at which entries of lanes are due; 0 without any.
    var due: Int64 = 0
    /// Deliveries by the state that they came to.
    var moves: [Move] = []
    /// Registrations that were read, and mailboxes as they are now.
    var registrations: [(token: String, registration: Registration, mark: ClientMemory.Mark)] = []
    var mailboxes: [(id: MailboxID, state: MailboxState, mark: ClientMemory.Mark)] = []

    /// One delivery's new state.
    struct Move: Sendable, Hashable {
      let channel: PushChannel
      let state: Delivery.State
      var reason: CountedReason?
    }

    /// Remembers what was read and made; called by the write's completion alone.
    func remember(in memory: ClientMemory) {
      for (token, registration, mark) in registrations {
        memory.remember(registration, of: token, mark)
      }
      for known in mailboxes { memory.put(known.state, of: known.id, known.mark) }
    }
  }

  var effects = Effects()
  /// By how much the write has changed messages' counts.
  private var changes: [CountsID: [Effects.Move: Int64]] = [:]
  /// Messages that this write made: of these nothing is in the store before it.
  private var new: Set<Int64> = []
  /// Mailboxes that were read, and which of them changed.
  var mailboxes: [MailboxID: OpenMailbox] = [:]
  let memory: ClientMemory?

  private struct CountsID: Hashable {
    let project: Text
    let message: Int64
  }

  /// - Parameter memory: The memory of connected clients; nil where others write the same store.
  init(_ group: any KeyValueGroup, now: Int64, memory: ClientMemory?) {
    self.group = group
    self.now = now
    self.memory = memory
  }

  /// Writes the counts and heads that changed, and gives what to tell others; the last call.
  mutating func finish() throws -> Effects {
    for (id, changes) in changes {
      let key = MessagingKey(.counts, id.project, id.message).bytes
      let kept = new.contains(id.message) ? nil : try group.get(key)
      var counts = try kept.map { try MessageCounts(decoding: $0) } ?? MessageCounts()
      for (move, change) in changes { counts[move.channel, move.state] += change }
      if counts == MessageCounts() {
        try group.delete(key)
      } else {
        try group.put(key, counts.encoded)
      }
    }
    for (id, mailbox) in mailboxes {
      if mailbox.isChanged {
        let key = MessagingKey(.mailboxHead, id.project, id.number).bytes
        try group.put(key, mailbox.state.head.encoded)
      }
      if let mark = mailbox.mark { effects.mailboxes.append((id, mailbox.state, mark)) }
    }
    (changes, mailboxes) = ([:], [:])
    return effects
  }

  /// Keeps a message that this write makes.
  mutating func make(_ message: StoredMessage) throws {
    try PushService.put(message, group)
    new.insert(message.id)
  }

  // MARK: Making

  /// Makes the delivery of a message to a registration, unless there is one.
  ///
  /// - Parameter isSole: True if the message gets no other.
  mutating func add(
    _ message: StoredMessage,
    to registration: Registration,
    isConnected: Bool,
    isSole: Bool = false
  ) throws {
    let channel = registration.address.channel
    let options = message.content.options(channel)
    let key = MessagingKey(.delivery, message.project, message.id, registration.number).bytes
    let isMade = try !new.contains(message.id) && group.get(key) != nil
    guard !isMade else { return }
    var delivery = Delivery(
      Lane(channel, options.priority),
      at: now,
      collapseKey: options.collapseKey
    )
    delivery.isSole = isSole
    delivery.start = message.schedule?.instant(forZone: registration.details.timeZone) ?? 0
    if let gone = registration.gone {
      (delivery.state, delivery.reason) = (.gone, gone.reason)
    } else if delivery.start > now {
      try hold(&delivery, message, registration.number)
    } else if delivery.start != 0, delivery.start < now - PushService.lateness {
      (delivery.state, delivery.reason) = (.expired, "time-passed")
    } else {
      try admit(&delivery, message, registration, isConnected: isConnected)
    }
    try keep(delivery, key, message.project, message.id, registration.number)
    count(message.project, message.id, delivery, 1)
    noteMove(delivery)
  }

  /// Gives a delivery that is due its slot, unless it is now or never and cannot be now.
  private mutating func admit(
    _ delivery: inout Delivery,
    _ message: StoredMessage,
    _ registration: Registration,
    isConnected: Bool
  ) throws {
    let options = message.content.options(delivery.channel)
    if delivery.channel == .direct, options.timeToLive == 0, !isConnected {
      (delivery.state, delivery.reason) = (.expired, "not-connected")
    } else if try !passesCap(message, registration) {
      (delivery.state, delivery.reason) = (.refused, "frequency-cap")
    } else {
      try collapse(registration, message.id, options.collapseKey)
      delivery.slot = try takeSlot(delivery.lane, message, registration.number)
    }
  }

  /// Keeps a delivery until its device's clock shows its time.
  private func hold(_ delivery: inout Delivery, _ message: StoredMessage, _ number: Int64) throws {
    (delivery.isHeld, delivery.slot) = (true, delivery.start)
    let key = MessagingKey.held(until: delivery.slot, message.id, number)
    try group.put(key, ProjectValue(message.project).encoded)
  }

  /// Lets a delivery go that was held; nothing but its entry goes where it waits no more.
  mutating func release(
    _ entry: [UInt8],
    _ message: StoredMessage?,
    _ registration: Registration?,
    isConnected: Bool
  ) throws {
    try group.delete(entry)
    let number = try entry.withUnsafeBytes { try MessagingKey.number(in: $0) }
    guard let message else { return }
    let id = message.id
    let key = MessagingKey(.delivery, message.project, id, number).bytes
    guard var delivery = try group.get(key).map({ try Delivery(decoding: $0) }), delivery.isHeld
    else { return }
    guard let registration, registration.gone == nil,
      registration.address.channel == delivery.channel
    else {
      let reason = registration.map { $0.gone?.reason ?? "address-changed" }
      try move(message.project, id, number, to: .gone, reason: reason)
      return
    }
    count(message.project, id, delivery, -1)
    (delivery.isHeld, delivery.slot) = (false, 0)
    try admit(&delivery, message, registration, isConnected: isConnected)
    delivery.at = now
    try keep(delivery, key, message.project, id, number)
    count(message.project, id, delivery, 1)
    if delivery.state != .waiting { noteMove(delivery) }
  }

  /// Puts the message in the place of one of the same key that waits.
  private mutating func collapse(
    _ registration: Registration,
    _ id: Int64,
    _ collapseKey: String?
  ) throws {
    guard let collapseKey else { return }
    let key = MessagingKey(.collapse, registration.project, registration.number)
      .text(collapseKey).bytes
    if let older = try group.get(key) {
      let older = try NumberValue.decode(older)
      try move(registration.project, older, registration.number, to: .collapsed)
    }
    try group.put(key, NumberValue.encode(id))
  }

  private mutating func takeSlot(
    _ lane: Lane,
    _ message: StoredMessage,
    _ number: Int64
  ) throws -> Int64 {
    guard lane.channel == .direct else {
      // A version: entries of later writes come behind those of earlier ones, independent of the
      // clock.
      if effects.due == 0 { effects.due = try group.allocateVersion() }
      let due = effects.due
      let key = MessagingKey.lane(lane, due: due, message.id, number)
      try group.put(key, ProjectValue(message.project).encoded)
      effects.lanes.insert(lane.channel)
      return due
    }
    let mailbox = MailboxID(project: message.project, number: number)
    try change(mailbox) { head in
      head.last += 1
      head.count += 1
    }
    let head = try head(mailbox)
    let key = MessagingKey(.mailbox, message.project, number, head.last).bytes
    try group.put(key, NumberValue.encode(message.id))
    if head.count > MailboxHead.limit { try dropOldest(mailbox) }
    effects.arrivals.append(
      MailboxArrival(
        mailbox: mailbox,
        sequence: head.last,
        message: message.schedule == nil ? message : nil
      )
    )
    return head.last
  }

  private mutating func dropOldest(_ mailbox: MailboxID) throws {
    let range = MessagingKey(.mailbox, mailbox.project, mailbox.number).range
    let cursor = try group.cursor(over: range, reversed: false)
    guard try cursor.next() else { return }
    let id = try NumberValue.decode(cursor.value)
    try move(mailbox.project, id, mailbox.number, to: .refused, reason: "mailbox-full")
    try change(mailbox) { $0.hasDropped = true }
  }

  // MARK: Moving

  /// Notes that a delivery was written to its device's stream; it keeps its slot until the device says that it has it.
  mutating func noteWritten(_ project: Text, _ id: Int64, _ number: Int64) throws {
    let key = MessagingKey(.delivery, project, id, number).bytes
    guard var delivery = try self.delivery(key, project, id, number),
      delivery.state == .waiting, delivery.channel == .direct, !delivery.isHeld
    else { return }
    count(project, id, delivery, -1)
    (delivery.state, delivery.at) = (.handed, now)
    try keep(delivery, key, project, id, number)
    count(project, id, delivery, 1)
    effects.moves.append(.init(channel: .direct, state: .handed))
  }

  /// Moves a delivery to a state of a higher rank; false where it is there, beyond, or missing.
  ///
  /// A delivery that was handed over stays so where the state is of no higher rank, and gives up
  /// the slot that it may have.
  @discardableResult
  mutating func move(
    _ project: Text,
    _ id: Int64,
    _ number: Int64,
    to state: Delivery.State,
    reason: String? = nil
  ) throws -> Bool {
    let key = MessagingKey(.delivery, project, id, number).bytes
    guard var delivery = try self.delivery(key, project, id, number) else { return false }
    if delivery.hasSlot { try giveUpSlot(delivery, project, id, number) }
    guard state.rank > delivery.state.rank else {
      guard delivery.slot != 0 else { return false }
      delivery.slot = 0
      try keep(delivery, key, project, id, number)
      return false
    }
    count(project, id, delivery, -1)
    noteSkipped(delivery, state)
    (delivery.state, delivery.reason, delivery.at, delivery.slot) = (state, reason, now, 0)
    delivery.isHeld = false
    try keep(delivery, key, project, id, number)
    count(project, id, delivery, 1)
    noteMove(delivery)
    return true
  }

  private mutating func noteMove(_ delivery: Delivery) {
    let reason = delivery.reason.map(CountedReason.init)
    effects.moves.append(
      .init(channel: delivery.channel, state: delivery.state, reason: reason)
    )
  }

  /// Counts the handing over that a device acknowledged before it was noted.
  private mutating func noteSkipped(_ delivery: Delivery, _ state: Delivery.State) {
    guard delivery.channel == .direct, delivery.state == .waiting,
      state.rank > Delivery.State.handed.rank
    else { return }
    effects.moves.append(.init(channel: .direct, state: .handed))
  }

  /// Lets a delivery that waits be tried again later; false where it waits no more.
  mutating func postpone(
    _ project: Text,
    _ id: Int64,
    _ number: Int64,
    until due: Int64,
    attempt: Int64,
    reason: String
  ) throws -> Bool {
    let key = MessagingKey(.delivery, project, id, number).bytes
    guard var delivery = try group.get(key).map({ try Delivery(decoding: $0) }),
      delivery.state == .waiting, delivery.channel != .direct, !delivery.isHeld
    else { return false }
    try group.delete(MessagingKey.lane(delivery.lane, due: delivery.slot, id, number))
    (delivery.slot, delivery.reason) = (due, reason)
    let entry = ProjectValue(project, attempt).encoded
    try group.put(MessagingKey.lane(delivery.lane, due: due, id, number), entry)
    try group.put(key, delivery.encoded)
    return true
  }

  /// Deletes a delivery with any result.
  mutating func erase(_ project: Text, _ id: Int64, _ number: Int64) throws {
    let key = MessagingKey(.delivery, project, id, number).bytes
    guard let delivery = try self.delivery(key, project, id, number) else { return }
    if delivery.hasSlot { try giveUpSlot(delivery, project, id, number) }
    try group.delete(key)
    count(project, id, delivery, -1)
  }

  private mutating func giveUpSlot(
    _ delivery: Delivery,
    _ project: Text,
    _ id: Int64,
    _ number: Int64
  ) throws {
    if delivery.isHeld {
      return try group.delete(MessagingKey.held(until: delivery.slot, id, number))
    }
    if delivery.channel == .direct {
      try group.delete(MessagingKey(.mailbox, project, number, delivery.slot).bytes)
      let mailbox = MailboxID(project: project, number: number)
      try change(mailbox) { $0.count -= 1 }
      mailboxes[mailbox]?.state.noteGone(id)
    } else {
      try group.delete(MessagingKey.lane(delivery.lane, due: delivery.slot, id, number))
    }
    guard let collapseKey = delivery.collapseKey else { return }
    let key = MessagingKey(.collapse, project, number).text(collapseKey).bytes
    if let holder = try group.get(key), try NumberValue.decode(holder) == id {
      try group.delete(key)
    }
  }

  private mutating func count(
    _ project: Text,
    _ id: Int64,
    _ delivery: Delivery,
    _ change: Int64
  ) {
    guard !delivery.isSole else { return }
    let move = Effects.Move(channel: delivery.channel, state: delivery.state)
    changes[CountsID(project: project, message: id), default: [:]][move, default: 0] += change
  }
}

/// A registration's mailbox.
package struct MailboxID: Sendable, Hashable {
  /// The id of the registration's project.
  package let project: Text
  /// The number of the registration.
  package let number: Int64
}
