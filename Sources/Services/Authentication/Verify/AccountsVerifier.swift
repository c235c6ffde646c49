import BaseText
import Foundation
import KeyValueStore

/// One run over one view of all accounts; `Accounts.verify` has the promise.
final class AccountsVerifier {
  private let reader: any KeyValueReader
  private let progress: (Int) throws -> Void
  private let reportDifference: (String) throws -> Void
  private var users = 0
  /// Index entries that the users have.
  private var expectedEntries = 0

  init(
    _ reader: any KeyValueReader,
    progress: @escaping (Int) throws -> Void,
    report: @escaping (String) throws -> Void
  ) {
    self.reader = reader
    self.progress = progress
    reportDifference = report
  }

  /// Returns the number of users.
  func run() throws -> Int {
    try verifyUsers()
    for kind in UserEntry.kinds { try verifyEntries(kind) }
    try verifyRefreshTokens()
    try verifyTickets()
    try verifyRecords(.listedTicket, "listed ticket") { key, value in
      _ = try ListedTicket(key: key, record: value)
    }
    try verifyRecords(.scope, "configuration") { _, value in
      _ = try JSONDecoder().decode(ProjectRecord.self, from: Data(value))
    }
    try verifyRecords(.providerConfiguration, "provider") { _, value in
      _ = try JSONDecoder().decode(ProviderConfiguration.self, from: Data(value))
    }
    try verifyRecords(.app, "app") { _, value in
      _ = try JSONDecoder().decode(RegisteredApp.self, from: Data(value))
    }
    try verifyRecords(.signingKey, "signing key") { _, value in
      _ = try SigningKey(id: "", record: value)
    }
    try verifyRecords(.serviceAccount, "service account") { _, value in
      _ = try ServiceAccount(record: value)
    }
    try each(.providersSecret) { key, value in
      if value.count != KeptSecret.length { try report("damaged secret of providers", key) }
    }
    return users
  }

  /// Every user can be read and has every index entry.
  private func verifyUsers() throws {
    try each(.user) { key, value in
      users += 1
      if users.isMultiple(of: 1_000) { try progress(users) }
      guard let scope = key.withUnsafeBytes({ AccountKey.scope(ofKey: $0) }),
        let uid = key.withUnsafeBytes({ AccountKey.uid(ofUserKey: $0) }),
        let user = try? User(uid: uid, record: value)
      else { return try report("damaged user", key) }
      for entry in UserEntry.all(of: user, in: scope) {
        expectedEntries += 1
        if try reader.get(entry.key) != uid.withBytes({ Array($0) }) {
          try report("missing index entry of \(scope), \(uid.string)", entry.key)
        }
      }
    }
    try progress(users)
  }

  /// Every index entry is one of the user that it names.
  private func verifyEntries(_ kind: AccountKey.Kind) throws {
    try each(kind) { key, value in
      guard let scope = key.withUnsafeBytes({ AccountKey.scope(ofKey: $0) }),
        let uid = String(validating: value, as: UTF8.self)
      else { return try report("damaged index entry", key) }
      let user = try? UserReader(reader: reader, scope: scope).user(Text(uid))
      let isOwned = user.map { UserEntry.all(of: $0, in: scope).contains { $0.key == key } }
      if isOwned != true { try report("surplus index entry of \(scope), \(uid)", key) }
    }
  }

  /// Every refresh token can be read and belongs to a user.
  private func verifyRefreshTokens() throws {
    try each(.refreshToken) { key, value in
      guard let scope = key.withUnsafeBytes({ AccountKey.scope(ofKey: $0) }),
        let uid = key.withUnsafeBytes({ AccountKey.uid(ofUserKey: $0) }),
        (try? SignInFacts.decode(value)) != nil
      else { return try report("damaged refresh token", key) }
      if try reader.get(AccountKey.user(scope, uid)) == nil {
        try report("surplus refresh token of \(scope), \(uid.string)", key)
      }
    }
  }

  /// Every ticket has the entry by which it is swept, and nothing else has.
  private func verifyTickets() throws {
    try each(.ticket) { key, value in
      guard let end = try? Ticket.end(ofRecord: value) else {
        return try report("damaged ticket", key)
      }
      if try reader.get(AccountKey.ticketEnd(end, Array(key.suffix(32)))) == nil {
        try report("ticket without its end", key)
      }
    }
    try each(.ticketEnd) { key, _ in
      if try reader.get(AccountKey.ticket(Array(key.suffix(32)))) == nil {
        try report("end of a ticket that is not there", key)
      }
    }
  }

  private func verifyRecords(
    _ kind: AccountKey.Kind,
    _ name: String,
    decode: (_ key: [UInt8], _ value: [UInt8]) throws -> Void
  ) throws {
    try each(kind) { key, value in
      do {
        try decode(key, value)
      } catch {
        try report("damaged \(name)", key)
      }
    }
  }

  private func each(
    _ kind: AccountKey.Kind,
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Void
  ) throws {
    let range = KeyRange(prefix: AccountKey.prefix(kind))
    let cursor = try reader.cursor(over: range, reversed: false)
    while try cursor.next() { try body(Array(cursor.key), Array(cursor.value)) }
  }

  private func report(_ what: String, _ key: [UInt8]) throws {
    try reportDifference("\(what), key \(Hexadecimal.text(key))")
  }
}

extension Accounts {
  /// Reads every record of every scope and compares users with their index entries, refresh tokens with their
  /// users, tickets with the entries that end them; reports every difference and returns the number of users.
  ///
  /// Reads one view, while others continue to write. Blocks for as long as reading everything
  /// takes.
  package func verify(
    progress: (Int) throws -> Void,
    report: (String) throws -> Void
  ) throws -> Int {
    try withoutActuallyEscaping(progress) { progress in
      try withoutActuallyEscaping(report) { report in
        try engine.read { reader in
          try AccountsVerifier(reader, progress: progress, report: report).run()
        }
      }
    }
  }
}
