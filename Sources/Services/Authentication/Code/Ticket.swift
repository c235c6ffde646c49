import BaseJSON
import BaseText
import Crypto
import KeyValueStore

// A ticket is for something that was begun and is finished once: a code in an email, a credential
// that waits for the second factor. Its text is the Base64 of 40 random bytes; the store keeps their
// SHA-256 digest alone, with the record, in the form of RecordWriter.swift: 1 kind, 2 project,
// 3 end (us), 4 payload as JSON, 5 tenant. A second key orders tickets by their ends, and every new ticket
// takes a few that are over with it.

/// The purpose of a ticket; a ticket of one kind is none of another.
package struct TicketKind: RawRepresentable, Sendable, Hashable {
  /// The kind's name as records store it.
  package let rawValue: String

  /// A kind by its name.
  package init(rawValue: String) { self.rawValue = rawValue }

  /// A code that an email carries.
  package static let oneTimeCode = TicketKind(rawValue: "oob")
  /// The kind of a record that replaces a code without a recipient; no text of it leaves the
  /// server.
  package static let decoy = TicketKind(rawValue: "nil")
  /// The first factor was right, a second must follow.
  package static let pendingSignIn = TicketKind(rawValue: "mfa-sign-in")
  /// A second factor is being enrolled.
  package static let enrollment = TicketKind(rawValue: "mfa-enrollment")
  /// A finished sign-in with a provider; it keeps the session from being used again.
  static let finishedSession = TicketKind(rawValue: "idp-finished")
}

/// A ticket that is good.
package struct Ticket: Sendable {
  /// The project or tenant that the ticket was issued for.
  package let scope: AccountScope
  /// The facts that the ticket's maker stored with it.
  package let payload: JSONValue
  let key: [UInt8]
  let endKey: [UInt8]

  /// The reason for refusing a ticket.
  package enum Problem: Error, Sendable {
    case unknown
    case over
  }

  /// The time in a ticket's record at which it is over.
  static func end(ofRecord bytes: [UInt8]) throws -> Int64 {
    var record = try RecordReader(bytes)
    while let field = try record.next() {
      if field.tag == 3 { return try field.number() }
    }
    throw RecordReader.corrupt("a ticket without end")
  }

  /// Redeems the ticket in the group; it can't be redeemed again.
  func redeem(in group: any KeyValueGroup) throws {
    guard try group.get(key) != nil else { throw Problem.unknown }
    try group.delete(key)
    try group.delete(endKey)
  }
}

extension ProjectAccounts {
  /// Makes a ticket that is good for some seconds, and returns its text.
  package func issueTicket(
    _ kind: TicketKind,
    _ payload: JSONValue,
    lifetime: Int64
  ) throws -> String {
    let secret = random.bytes(40)
    let digest = Array(SHA256.hash(data: secret))
    try accounts.engine.write { group in
      try put(kind, digest, payload, lifetime: lifetime, in: group)
    }
    return Base64.url(secret)
  }

  private func put(
    _ kind: TicketKind,
    _ digest: [UInt8],
    _ payload: JSONValue,
    lifetime: Int64,
    in group: any KeyValueGroup
  ) throws {
    let end = now + lifetime * 1_000_000
    var record = RecordWriter()
    record.put(1, kind.rawValue)
    record.put(2, scope.project)
    record.put(3, end)
    record.put(4, payload.compact)
    record.put(5, scope.tenant)
    try sweepTickets(in: group)
    try group.put(AccountKey.ticket(digest), record.bytes)
    try group.putMarker(AccountKey.ticketEnd(end, digest))
  }

  /// Ends the session of a sign-in with a provider: the first caller may sign in by it.
  ///
  /// INVALID_IDP_RESPONSE for every later one, on all nodes, until the session is over by its time.
  package func finish(_ session: ProviderSession) throws {
    let digest = Array(SHA256.hash(data: Array(session.id.utf8)))
    try accounts.engine.write { group in
      guard try group.get(AccountKey.ticket(digest)) == nil else {
        throw IdentityProviders.invalid("This sign-in is finished. Start another one.")
      }
      try put(.finishedSession, digest, .null, lifetime: 2 * ProviderSession.lifetime, in: group)
    }
  }

  /// The ticket of that text; `Ticket.Problem` when there is none, it is over, of another kind or scope.
  package func ticket(_ kind: TicketKind, _ text: String) throws -> Ticket {
    try accounts.engine.read { try ticket(kind, text, in: $0) }
  }

  /// Redeems a ticket: returns its purpose, to one caller only.
  package func redeemTicket(_ kind: TicketKind, _ text: String) throws -> Ticket {
    try accounts.engine.write { group in
      let ticket = try ticket(kind, text, in: group)
      try ticket.redeem(in: group)
      return ticket
    }
  }

  func ticket(_ kind: TicketKind, _ text: String, in reader: any KeyValueReader) throws -> Ticket {
    guard text.utf8.count == 54, let secret = Base64.decodeStrictly(Array(text.utf8)) else {
      throw Ticket.Problem.unknown
    }
    let digest = Array(SHA256.hash(data: secret))
    let key = AccountKey.ticket(digest)
    guard let bytes = try reader.get(key) else { throw Ticket.Problem.unknown }
    var record = try RecordReader(bytes)
    var texts: [UInt8: String] = [:]
    var end: Int64 = 0
    while let field = try record.next() {
      if field.tag == 3 { end = try field.number() } else { texts[field.tag] = try field.string() }
    }
    let owner = AccountScope(project: texts[2].map { Text($0) }, tenant: texts[5].map { Text($0) })
    guard texts[1] == kind.rawValue, owner == scope else { throw Ticket.Problem.unknown }
    guard now < end else { throw Ticket.Problem.over }
    return Ticket(
      scope: scope,
      payload: try JSONValue(parsing: texts[4] ?? "null"),
      key: key,
      endKey: AccountKey.ticketEnd(end, digest)
    )
  }

  /// Removes up to sixteen tickets that expired more than an hour ago; until then they are reported
  /// as expired.
  private func sweepTickets(in group: any KeyValueGroup) throws {
    let first = AccountKey.prefix(.ticketEnd)
    let range = KeyRange(lower: first, upper: AccountKey.ticketEnd(now - 3_600_000_000, []))
    let cursor = try group.cursor(over: range, reversed: false)
    var over: [[UInt8]] = []
    while over.count < 16, try cursor.next() { over.append(Array(cursor.key)) }
    for key in over {
      try group.delete(key)
      try group.delete(AccountKey.ticket(Array(key.suffix(32))))
    }
  }
}
