import BaseText
import KeyValueStore

// Going through the registrations that a message to a topic, by a condition or to an audience is for.
//
// A cursor of its own is in the store for each such message; a step makes the deliveries of some registrations and moves the
// cursor in one write. So a step that is interrupted has happened whole or not at all.

extension PushService {
  /// Registrations of one step.
  private static let stepSize = 1_000
  /// Messages of which steps are taken in turns.
  private static let turns = 16

  /// Takes so many steps of each of the oldest messages that are gone through; true where there is more to do.
  package func stepFanOuts(steps: Int = 8) async throws -> Bool {
    let waiting = try await read { reader -> [(id: Int64, project: Text)] in
      let cursor = try reader.cursor(over: MessagingKey(.fanOut).range, reversed: false)
      var waiting: [(id: Int64, project: Text)] = []
      while waiting.count < Self.turns, try cursor.next() {
        let entry = try ProjectValue(decoding: cursor.value)
        waiting.append((try MessagingKey.number(in: cursor.key), entry.project))
      }
      return waiting
    }
    for entry in waiting { try await takeTurn(entry.id, of: entry.project, steps) }
    return !waiting.isEmpty
  }

  /// Takes some steps, each of which is read while the one before is written.
  private func takeTurn(_ id: Int64, of project: Text, _ steps: Int) async throws {
    let key = MessagingKey(.fanOut).number(id).bytes
    guard var step = try await nextStep(id, of: project, after: nil) else {
      return try await write(.background) { try $0.delete(key) }
    }
    for _ in 1..<max(steps, 1) {
      guard let position = step.next else { break }
      async let following = nextStep(id, of: project, after: position)
      try await take(step)
      guard let next = try await following else { return }
      step = next
    }
    try await take(step)
  }

  /// Reads the step behind a registration's number, or the one that the store says is next; nil where the message is
  /// gone, or nothing is left to be done.
  private func nextStep(
    _ id: Int64,
    of project: Text,
    after position: Int64?
  ) async throws -> FanOutStep? {
    let audiences = audiences
    return try await read(on: .scans) { reader in
      let key = MessagingKey(.fanOut).number(id).bytes
      guard let value = try reader.get(key),
        let message = try StoredMessage.read(project, id, reader)
      else { return nil }
      let next = try position ?? ProjectValue(decoding: value).number
      return try FanOutStep(message, after: next, size: Self.stepSize, audiences, reader)
    }
  }

  /// Makes the deliveries of a step.
  private func take(_ step: FanOutStep) async throws {
    let streams = streams
    try await writeDeliveries(.background) { book in
      for registration in step.registrations {
        let isConnected = streams.isConnected(registration.mailbox)
        try book.add(step.message, to: registration, isConnected: isConnected)
      }
      try Self.advance(step, book.group)
    }
  }

  /// Moves the cursor behind a step.
  private static func advance(_ step: FanOutStep, _ group: any KeyValueGroup) throws {
    var message = step.message
    let key = MessagingKey(.fanOut).number(message.id).bytes
    if let next = step.next {
      return try group.put(key, ProjectValue(message.project, next).encoded)
    }
    try group.delete(key)
    message.stage = .expanded
    let value = message.encoded
    try group.put(MessagingKey(.message, message.project, message.id).bytes, value)
  }
}

/// The registrations of one step.
private struct FanOutStep: Sendable {
  let message: StoredMessage
  let registrations: [Registration]
  /// The number behind which the next step begins; nil behind the last.
  let next: Int64?

  init(
    _ message: StoredMessage,
    after position: Int64,
    size: Int,
    _ audiences: (any MessageAudiences)?,
    _ reader: any KeyValueReader
  ) throws {
    self.message = message
    let (numbers, next) = try Self.numbers(message, after: position, size: size, reader)
    self.next = next
    let live = try numbers.compactMap {
      try Registration.read(message.project, $0, reader)
    }.filter { $0.gone == nil }
    guard case .audience(let name) = message.target else {
      registrations = live
      return
    }
    registrations = try live.filter {
      try audiences?.contains($0.installation, name, in: message.project) == true
    }
  }

  private static func numbers(
    _ message: StoredMessage,
    after position: Int64,
    size: Int,
    _ reader: any KeyValueReader
  ) throws -> ([Int64], next: Int64?) {
    switch message.target {
    case .topic(let topic):
      return try matching(.topic(topic), message, after: position, size: size, reader)
    case .condition(let text):
      guard let condition = TopicCondition(parsing: text) else { return ([], nil) }
      return try matching(condition, message, after: position, size: size, reader)
    case .audience:
      return try matching(nil, message, after: position, size: size, reader)
    case .registration, .user: return ([], nil)
    }
  }

  /// The registrations of which a condition is true, by looking at all that the condition could be true of; without one
  /// all of them.
  private static func matching(
    _ condition: TopicCondition?,
    _ message: StoredMessage,
    after position: Int64,
    size: Int,
    _ reader: any KeyValueReader
  ) throws -> ([Int64], next: Int64?) {
    let topics = condition?.topics ?? []
    let isOfOthers = condition?.holds(for: []) ?? true
    let others = MessagingKey(.registration, message.project)
    var merge = try MemberMerge(
      topics.map { PushService.memberKey(message.project, $0) }
        + (isOfOthers ? [others] : []),
      after: position,
      reader
    )
    var numbers: [Int64] = []
    for _ in 0..<(size * 4) {
      guard let (number, lists) = try merge.next(cutoff: message.cutoff) else {
        return (numbers, nil)
      }
      let subscribed = Set(lists.compactMap { $0 < topics.count ? topics[$0] : nil })
      if number <= message.cutoff, condition?.holds(for: subscribed) ?? true {
        numbers.append(number)
      }
      if numbers.count == size { return (numbers, number) }
      merge.last = number
    }
    return (numbers, merge.last)
  }
}

/// Walks ordered lists of registrations' numbers together.
private struct MemberMerge {
  private var cursors: [any KeyValueCursor] = []
  private var heads: [Int64?] = []
  private let areMembers: [Bool]
  /// The number that was given last.
  var last: Int64

  init(
    _ prefixes: [MessagingKey],
    after position: Int64,
    _ reader: any KeyValueReader
  ) throws {
    last = position
    areMembers = prefixes.map { $0.bytes[1] == MessagingKey.Kind.member.rawValue }
    for prefix in prefixes {
      let cursor = try reader.cursor(over: prefix.range(after: position), reversed: false)
      cursors.append(cursor)
      heads.append(try cursor.next() ? try MessagingKey.number(in: cursor.key) : nil)
    }
  }

  /// The least number that comes next, and the lists that have it since a version at or below the cutoff.
  mutating func next(cutoff: Int64) throws -> (Int64, lists: [Int])? {
    guard let least = heads.compactMap(\.self).min() else { return nil }
    var lists: [Int] = []
    for index in heads.indices where heads[index] == least {
      let cursor = cursors[index]
      let isIn = try !areMembers[index] || NumberValue.decode(cursor.value) <= cutoff
      if isIn { lists.append(index) }
      heads[index] = try cursor.next() ? try MessagingKey.number(in: cursor.key) : nil
    }
    return (least, lists)
  }
}
