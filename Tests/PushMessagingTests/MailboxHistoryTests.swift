import ModelTestSupport
import Testing

@testable import PushMessaging

/// Random histories of clients that connect, against a plain model.
@Suite struct MailboxHistoryTests {
  /// One message for one client, as the model has it.
  private struct Entry {
    let id: Int64
    let key: String?
    let deadline: Int64
  }

  private static let topics = ["a", "b"].compactMap { TopicName($0) }

  /// The expected state of each client, by its number.
  private struct Model {
    var waiting: [[Entry]]
    var topics: [Set<TopicName>]
    /// The rank that a message was last seen at.
    var ranks: [Int64: [Int]] = [:]

    mutating func add(_ entry: Entry, to client: Int) {
      if let key = entry.key { waiting[client].removeAll { $0.key == key } }
      waiting[client].append(entry)
      if waiting[client].count > Int(MailboxHead.limit) { waiting[client].removeFirst() }
    }
  }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func `mailboxes hold what the model holds`(seed: UInt64) async throws {
    var source = SeededSource(seed: seed)
    let fixture = MessagingFixture()
    var tokens: [String] = []
    for index in 0..<4 { tokens.append(try await fixture.register("f\(index)")) }
    var model = Model(
      waiting: [[Entry]](repeating: [], count: 4),
      topics: [Set<TopicName>](repeating: [], count: 4)
    )
    for step in 0..<250 {
      try await Self.act(fixture, tokens, &model, &source)
      guard step % 10 == 9 else { continue }
      for index in tokens.indices {
        let known = try await fixture.service.registration(of: tokens[index], in: "p")
        let found = try await fixture.service.entries(of: known.mailbox, after: 0, limit: 1_000)
        let expected = model.waiting[index].filter { $0.deadline >= fixture.service.now }
        #expect(
          found.map(\.messageID) == expected.map { "0:\($0.id)" },
          "seed \(seed), step \(step)"
        )
      }
      #expect(try fixture.differences().isEmpty, "seed \(seed), step \(step)")
    }
  }

  private static func act(
    _ fixture: MessagingFixture,
    _ tokens: [String],
    _ model: inout Model,
    _ source: inout SeededSource
  ) async throws {
    let client = Int.random(in: 0..<tokens.count, using: &source)
    switch Int.random(in: 0..<26, using: &source) {
    case 0..<9:
      try await send(fixture, "\"token\": \"\(tokens[client])\"", [client], &model, &source)
    case 9..<12:
      let topic = topics[Int.random(in: 0..<topics.count, using: &source)]
      let members = tokens.indices.filter { model.topics[$0].contains(topic) }
      try await send(fixture, "\"topic\": \"\(topic.text)\"", members, &model, &source)
    case 12..<14:
      let text = "'a' in topics && !('b' in topics)"
      let members = tokens.indices.filter {
        model.topics[$0].contains(topics[0]) && !model.topics[$0].contains(topics[1])
      }
      try await send(fixture, "\"condition\": \"\(text)\"", members, &model, &source)
    case 14..<16: try await change(fixture, tokens, client, &model, &source)
    case 16..<18: try await acknowledge(fixture, tokens[client], client, &model, &source)
    case 18: fixture.restart()
    case 19..<21: try await write(fixture, tokens[client], &source)
    case 21..<25: try await connect(fixture, tokens[client], &source)
    default:
      fixture.advance(seconds: Int64.random(in: 1...40, using: &source))
      while try await fixture.service.expireMessages() {}
      let now = fixture.service.now
      for index in tokens.indices { model.waiting[index].removeAll { $0.deadline < now } }
    }
  }

  private static func send(
    _ fixture: MessagingFixture,
    _ target: String,
    _ members: [Int],
    _ model: inout Model,
    _ source: inout SeededSource
  ) async throws {
    let life = [20, 100, 10_000].randomElement(using: &source) ?? 20
    let key = Bool.random(using: &source) ? "k\(Int.random(in: 0..<3, using: &source))" : nil
    let collapse = key.map { ", \"collapse_key\": \"\($0)\"" } ?? ""
    let id = try await fixture.send("{\(target), \"android\": {\"ttl\": \"\(life)s\"\(collapse)}}")
    while try await fixture.service.stepFanOuts() {}
    let deadline = fixture.service.now + Int64(life) * 1_000_000
    for member in members { model.add(Entry(id: id, key: key, deadline: deadline), to: member) }
  }

  private static func change(
    _ fixture: MessagingFixture,
    _ tokens: [String],
    _ client: Int,
    _ model: inout Model,
    _ source: inout SeededSource
  ) async throws {
    let topic = topics[Int.random(in: 0..<topics.count, using: &source)]
    let isJoining = Bool.random(using: &source)
    let result = try await fixture.service.changeTopic(
      topic,
      of: [tokens[client]],
      in: "p",
      subscribing: isJoining
    )
    #expect(result == [nil])
    if isJoining {
      model.topics[client].insert(topic)
    } else {
      model.topics[client].remove(topic)
    }
  }

  /// Some of what waits is written to the client's stream, which changes nothing of what waits.
  private static func write(
    _ fixture: MessagingFixture,
    _ token: String,
    _ source: inout SeededSource
  ) async throws {
    let known = try await fixture.service.registration(of: token, in: "p")
    let limit = Int.random(in: 1...20, using: &source)
    let entries = try await fixture.service.entries(of: known.mailbox, after: 0, limit: limit)
    fixture.service.noteWritten(entries, to: known.mailbox)
    try await fixture.service.keepWritten()
  }

  /// A client connects or is gone: what is known of it is in memory, or in the store alone.
  private static func connect(
    _ fixture: MessagingFixture,
    _ token: String,
    _ source: inout SeededSource
  ) async throws {
    let service = fixture.service
    let mailbox = try await service.registration(of: token, in: "p").mailbox
    guard Bool.random(using: &source) else { return service.streams.end(mailbox) }
    try service.streams.open(mailbox, WakingListener(), network: "n", pings: .seconds(60))
  }

  private static func acknowledge(
    _ fixture: MessagingFixture,
    _ token: String,
    _ client: Int,
    _ model: inout Model,
    _ source: inout SeededSource
  ) async throws {
    let known = try await fixture.service.registration(of: token, in: "p")
    let entries = try await fixture.service.entries(of: known.mailbox, after: 0, limit: 1_000)
    guard !entries.isEmpty else { return }
    let count = Int.random(in: 1...entries.count, using: &source)
    let receipts = Receipts(sequence: entries[count - 1].sequence)
    if Bool.random(using: &source) {
      try await fixture.service.acknowledge(known, receipts)
    } else {
      try await fixture.acknowledge(receipts, token)
    }
    let names = Set(entries.prefix(count).map(\.messageID))
    model.waiting[client].removeAll { names.contains("0:\($0.id)") }
  }
}
