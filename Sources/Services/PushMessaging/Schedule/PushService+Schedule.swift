import BaseText
import KeyValueStore

// Messages that are sent later.
//
// A message that waits for its time is in the stage `scheduled`, with an entry under `schedule`.
// One that is repeated stays so: each time it makes a message of its own. Messages by devices'
// clocks are processed when the first clocks show the time. Each delivery that is not due then is
// held, under `held`, until its device's clock shows it.

extension PushService {
  /// The time after a device's time in which a message by its clock is still sent to it, in
  /// microseconds.
  static let lateness: Int64 = 3_600_000_000
  /// Deliveries that are released in one write.
  private static let heldStep = 500

  /// Accepts a message that is sent later; INVALID_ARGUMENT for a time that is past everywhere or too far.
  package func schedule(
    _ message: OutgoingMessage,
    from project: Text,
    origin: String,
    by schedule: MessageSchedule
  ) async throws -> String {
    let now = now
    try Self.check(schedule, now: now)
    try await checkAudience(message.recipient, of: project)
    let limit = limits.registrationsPerUser
    let id = try await write { group in
      let recipients = try Self.recipients(message.recipient, project, limit: limit, group)
      var stored = StoredMessage(
        project: project,
        id: try group.allocateVersion(),
        content: message.content,
        target: recipients.target(message.recipient),
        origin: origin,
        stage: .scheduled,
        start: max(schedule.release, now),
        cutoff: 0
      )
      (stored.schedule, stored.cap) = (schedule, message.cap)
      try Self.putScheduled(stored, group)
      return stored.id
    }
    return StoredMessage.name(of: id)
  }

  /// Throws INVALID_ARGUMENT for a schedule that `schedule` would not take.
  package func check(_ schedule: MessageSchedule) throws(MessagingError) {
    try Self.check(schedule, now: now)
  }

  private static func check(_ schedule: MessageSchedule, now: Int64) throws(MessagingError) {
    let longest = OutgoingMessage.longestLife * 13 * 1_000_000
    guard schedule.latest > now, schedule.release - now < longest else {
      throw .invalid("scheduleTime", "The time must be within the next 364 days.")
    }
  }

  private static func putScheduled(
    _ message: StoredMessage,
    _ group: any KeyValueGroup
  ) throws {
    let entry = ProjectValue(message.project).encoded
    try group.put(MessagingKey.timed(.schedule, message.start, message.id), entry)
    let key = MessagingKey(.message, message.project, message.id).bytes
    try group.put(key, message.encoded)
  }

  /// Takes back a message whose time has not come, or ends one that is repeated; false where it was sent or never was.
  package func cancel(_ id: Int64, of project: Text) async throws -> Bool {
    try await write { group in
      guard let message = try StoredMessage.read(project, id, group), message.stage == .scheduled
      else { return false }
      try group.delete(MessagingKey.timed(.schedule, message.start, id))
      try group.delete(MessagingKey(.message, project, id).bytes)
      return true
    }
  }

  // MARK: Messages whose time has come

  /// Sends the messages whose time has come, a few at once; true where there are more.
  package func releaseScheduled() async throws -> Bool {
    let now = now
    let due = try await read { reader in try Self.due(.schedule, upTo: now, limit: 32, reader) }
    for entry in due { try await release(entry.id, of: entry.project, at: entry.time) }
    return due.count == 32
  }

  private func release(_ id: Int64, of project: Text, at time: Int64) async throws {
    let limit = limits.registrationsPerUser
    let streams = streams
    try await writeDeliveries { book in
      let group = book.group
      let key = MessagingKey.timed(.schedule, time, id)
      guard try group.get(key) != nil, var message = try StoredMessage.read(project, id, group)
      else { return }
      try group.delete(key)
      if let schedule = message.schedule, schedule.recurrence != nil {
        let made = message.repeated(try group.allocateVersion(), by: schedule)
        try Self.begin(made, at: time, limit: limit, streams, &book)
        return try Self.advance(&message, to: schedule.next(after: book.now), group)
      }
      message.schedule = message.schedule?.alone
      try Self.begin(message, at: time, limit: limit, streams, &book)
    }
    signals.fanOuts.signal()
  }

  /// Lets a message that is repeated wait for its next time, or ends it.
  private static func advance(
    _ message: inout StoredMessage,
    to next: MessageSchedule?,
    _ group: any KeyValueGroup
  ) throws {
    guard let next else {
      message.stage = .expanded
      let key = MessagingKey(.message, message.project, message.id).bytes
      return try group.put(key, message.encoded)
    }
    (message.schedule, message.start) = (next, next.release)
    try putScheduled(message, group)
  }

  /// Makes the deliveries of a message whose time has come, or has its topic gone through.
  private static func begin(
    _ scheduled: StoredMessage,
    at time: Int64,
    limit: Int,
    _ streams: DirectStreams,
    _ book: inout DeliveryBook
  ) throws {
    let group = book.group
    var message = scheduled
    message.cutoff = try group.allocateVersion()
    message.start = message.schedule?.latest ?? max(time, book.now)
    let known: [Registration]
    switch message.target {
    case .registration(let number): known = try live([number], message.project, group)
    case .user(let uid):
      known = try registrations(ofUser: uid, message.project, limit: limit, group)
    case .topic, .condition, .audience:
      known = []
      let entry = ProjectValue(message.project, 0).encoded
      try group.put(MessagingKey(.fanOut).number(message.id).bytes, entry)
    }
    message.stage = message.target.isDirect ? .expanded : .expanding
    try put(message, group)
    for registration in known {
      let isConnected = streams.isConnected(registration.mailbox)
      try book.add(message, to: registration, isConnected: isConnected)
    }
  }

  // MARK: Deliveries whose time has come

  /// Lets deliveries go whose devices' clocks show their time; true where there are more.
  package func releaseHeld() async throws -> Bool {
    let (now, streams) = (now, streams)
    let due = try await read(on: .scans) { reader in
      let range = Self.range(.held, upTo: now)
      let cursor = try reader.cursor(over: range, reversed: false)
      var keys: [(key: [UInt8], project: Text)] = []
      while keys.count < Self.heldStep, try cursor.next() {
        keys.append((Array(cursor.key), try ProjectValue(decoding: cursor.value).project))
      }
      return keys
    }
    guard !due.isEmpty else { return false }
    try await writeDeliveries(.background) { book in
      var messages: [Int64: StoredMessage] = [:]
      for (key, project) in due {
        guard try book.group.get(key) != nil else { continue }
        let (id, number) = try key.withUnsafeBytes {
          (try MessagingKey.number(in: $0, fromEnd: 1), try MessagingKey.number(in: $0))
        }
        if messages[id] == nil { messages[id] = try StoredMessage.read(project, id, book.group) }
        let known = try Registration.read(project, number, book.group)
        let isConnected = known.map { streams.isConnected($0.mailbox) } ?? false
        try book.release(key, messages[id], known, isConnected: isConnected)
      }
    }
    return due.count == Self.heldStep
  }

  private static func range(_ kind: MessagingKey.Kind, upTo time: Int64) -> KeyRange {
    var range = MessagingKey(kind).range
    range.upper = MessagingKey(kind).number(time + 1).bytes
    return range
  }

  /// The entries of a kind whose time has come, the earliest first.
  private static func due(
    _ kind: MessagingKey.Kind,
    upTo time: Int64,
    limit: Int,
    _ reader: any KeyValueReader
  ) throws -> [(time: Int64, id: Int64, project: Text)] {
    let cursor = try reader.cursor(over: range(kind, upTo: time), reversed: false)
    var due: [(time: Int64, id: Int64, project: Text)] = []
    while due.count < limit, try cursor.next() {
      let (time, id) = (
        try MessagingKey.number(in: cursor.key, fromEnd: 1),
        try MessagingKey.number(in: cursor.key)
      )
      due.append((time, id, try ProjectValue(decoding: cursor.value).project))
    }
    return due
  }
}
