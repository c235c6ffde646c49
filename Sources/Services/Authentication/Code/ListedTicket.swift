import BaseJSON
import BaseText
import Crypto
import KeyValueStore

// A listed ticket is for a single action, like a ticket, and its subject can list and end it while
// it is open. Its text is the Base64 of 40 random bytes; the store keeps their SHA-256 digest in
// the key, behind scope and kind, with the record, in the form of RecordWriter.swift: 1 subject, 2
// payload as JSON, 3 begin (us), 4 end (us). There are few, so every new one looks at all of its
// kind and takes those that are over.

/// A ticket that is listed while it is open.
package struct ListedTicket: Sendable {
  /// Names the ticket in lists; it can't be used to redeem it.
  package let id: String
  /// The subject that it is about; empty for one without a subject yet.
  package let subject: String
  /// The facts that the ticket's maker stored with it; JSON's null where the record has none.
  package let payload: JSONValue
  /// Microseconds since 1970.
  package let begin: Int64
  /// The time at which the ticket expires, in microseconds since 1970.
  package let end: Int64
  private let key: [UInt8]

  init(key: [UInt8], record: [UInt8]) throws {
    var reader = try RecordReader(record)
    var texts: [UInt8: String] = [:]
    var times: [UInt8: Int64] = [:]
    while let field = try reader.next() {
      if field.tag <= 2 {
        texts[field.tag] = try field.string()
      } else {
        times[field.tag] = try field.number()
      }
    }
    self.key = key
    id = Base64.url(Array(key.suffix(32).prefix(12)))
    subject = texts[1] ?? ""
    payload = try JSONValue(parsing: texts[2] ?? "null")
    begin = times[3] ?? 0
    end = times[4] ?? 0
  }

  fileprivate init(
    key: [UInt8],
    subject: String,
    payload: JSONValue,
    begin: Int64,
    end: Int64
  ) {
    self.key = key
    id = Base64.url(Array(key.suffix(32).prefix(12)))
    self.subject = subject
    self.payload = payload
    self.begin = begin
    self.end = end
  }

  fileprivate var record: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, subject)
    writer.put(2, payload.compact)
    writer.put(3, begin)
    writer.put(4, end)
    return writer.bytes
  }

  fileprivate func put(in group: any KeyValueGroup) throws { try group.put(key, record) }

  fileprivate func delete(in group: any KeyValueGroup) throws { try group.delete(key) }

  /// Redeems the ticket in a group; it can't be redeemed again.
  ///
  /// Throws `Ticket.Problem` if it was redeemed or ended before.
  func redeem(in group: any KeyValueGroup) throws {
    guard try group.get(key) != nil else { throw Ticket.Problem.unknown }
    try delete(in: group)
  }
}

/// The listed tickets of a kind that end with a change.
package struct TicketEnding: Sendable {
  let kind: TicketKind
  let isEnded: @Sendable (ListedTicket) -> Bool

  /// Those of a kind of which `isEnded` is true.
  package init(_ kind: TicketKind, where isEnded: @escaping @Sendable (ListedTicket) -> Bool) {
    self.kind = kind
    self.isEnded = isEnded
  }
}

extension ProjectAccounts {
  /// The most open tickets of a kind.
  private static let listedLimit = 1_000

  /// Makes a ticket about a subject that is good for some seconds, ends others in the same write, and returns its text.
  package func issueListedTicket(
    _ kind: TicketKind,
    about subject: String,
    _ payload: JSONValue,
    lifetime: Int64,
    ending: TicketEnding? = nil
  ) throws -> String {
    let secret = random.bytes(40)
    let ticket = ListedTicket(
      key: listedKey(kind, ofSecret: secret),
      subject: subject,
      payload: payload,
      begin: now,
      end: now + lifetime * 1_000_000
    )
    try accounts.engine.write { group in
      if let ending { try end(ending, in: group) }
      guard try sweptTickets(kind, in: group).count < Self.listedLimit else {
        throw AccountError(.tooManyAttempts, "There are already \(Self.listedLimit) open links.")
      }
      try ticket.put(in: group)
    }
    return Base64.url(secret)
  }

  /// The open tickets of a kind, the oldest first.
  package func listedTickets(_ kind: TicketKind) throws -> [ListedTicket] {
    try accounts.engine.read { reader in
      try allListed(kind, reader).filter { now < $0.end }.sorted {
        ($0.begin, $0.id) < ($1.begin, $1.id)
      }
    }
  }

  /// The ticket of that text; `Ticket.Problem` when there is none, it is over, of another kind or scope.
  package func listedTicket(_ kind: TicketKind, _ text: String) throws -> ListedTicket {
    guard text.utf8.count == 54, let secret = Base64.decodeStrictly(Array(text.utf8)) else {
      throw Ticket.Problem.unknown
    }
    let key = listedKey(kind, ofSecret: secret)
    guard let record = try accounts.engine.read({ try $0.get(key) }) else {
      throw Ticket.Problem.unknown
    }
    let ticket = try ListedTicket(key: key, record: record)
    guard now < ticket.end else { throw Ticket.Problem.over }
    return ticket
  }

  /// Ends tickets; returns those that were open.
  package func endListedTickets(_ ending: TicketEnding) throws -> [ListedTicket] {
    try accounts.engine.write { try end(ending, in: $0) }
  }

  /// Ends tickets in a group; returns those that were open.
  @discardableResult
  func end(_ ending: TicketEnding, in group: any KeyValueGroup) throws -> [ListedTicket] {
    let ended = try allListed(ending.kind, group).filter(ending.isEnded)
    for ticket in ended { try ticket.delete(in: group) }
    return ended.filter { now < $0.end }
  }

  /// The open tickets; those that are over an hour go.
  private func sweptTickets(
    _ kind: TicketKind,
    in group: any KeyValueGroup
  ) throws -> [ListedTicket] {
    let all = try allListed(kind, group)
    for ticket in all where ticket.end + 3_600_000_000 < now { try ticket.delete(in: group) }
    return all.filter { now < $0.end }
  }

  private func allListed(
    _ kind: TicketKind,
    _ reader: any KeyValueReader
  ) throws -> [ListedTicket] {
    let prefix = AccountKey.prefix(.listedTicket, scope, Text(kind.rawValue))
    let cursor = try reader.cursor(over: KeyRange(prefix: prefix), reversed: false)
    var found: [ListedTicket] = []
    while try cursor.next() {
      found.append(try ListedTicket(key: Array(cursor.key), record: Array(cursor.value)))
    }
    return found
  }

  private func listedKey(_ kind: TicketKind, ofSecret secret: [UInt8]) -> [UInt8] {
    AccountKey.prefix(.listedTicket, scope, Text(kind.rawValue))
      + Array(SHA256.hash(data: secret))
  }
}
