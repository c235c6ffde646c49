import Crypto
import Foundation
import GRDB
import ServiceHost

/// Issues and checks the OAuth tokens.
///
/// A grant is one sign-in. Its tokens are derived, not stored: the access token from the key, the
/// grant's identifier and a serial that each refresh raises; the refresh token from the key and
/// the identifier. So a second sign-in while the access token is valid can answer the same token,
/// while the database holds digests only. Access lasts an hour, refresh thirty days.
struct TokenIssuer: Sendable {
  let database: DatabaseQueue
  let key: SymmetricKey
  let now: @Sendable () -> Date

  static let accessLife: Double = 3600
  static let refreshLife: Double = 30 * 24 * 3600

  /// Answers a sign-in: the valid grant of that user, or a new one.
  func grant(to user: Int64) async throws -> TokenReply {
    let time = now().timeIntervalSince1970
    return try await database.write { database in
      let valid = try GrantRecord.filter(Column("userID") == user)
        .filter(Column("accessExpires") >= time + 1).order(Column("accessExpires").desc)
        .fetchOne(database)
      if let valid { return reply(to: valid, at: time) }
      try GrantRecord.filter(Column("refreshExpires") <= time).deleteAll(database)
      let id = UUID().uuidString
      let grant = GrantRecord(
        id: id,
        userID: user,
        serial: 0,
        accessDigest: Secret.digest(access(of: id, serial: 0)),
        accessExpires: time + Self.accessLife,
        refreshDigest: Secret.digest(refresh(of: id)),
        refreshExpires: time + Self.refreshLife
      )
      try grant.insert(database)
      return reply(to: grant, at: time)
    }
  }

  /// Answers a refresh: a new access token; nil when the refresh token is unknown or expired.
  func refresh(_ token: String) async throws -> TokenReply? {
    let time = now().timeIntervalSince1970
    return try await database.write { database in
      let known = GrantRecord.filter(Column("refreshDigest") == Secret.digest(token))
      guard var grant = try known.filter(Column("refreshExpires") > time).fetchOne(database) else {
        return nil
      }
      grant.serial += 1
      grant.accessDigest = Secret.digest(access(of: grant.id, serial: grant.serial))
      grant.accessExpires = time + Self.accessLife
      try grant.update(database)
      return reply(to: grant, at: time)
    }
  }

  /// The enabled user whom an access token stands for.
  func user(of token: String) async throws -> UserRecord? {
    let time = now().timeIntervalSince1970
    return try await database.read { database in
      let known = GrantRecord.filter(Column("accessDigest") == Secret.digest(token))
      guard let grant = try known.filter(Column("accessExpires") > time).fetchOne(database) else {
        return nil
      }
      return try UserRecord.filter(key: grant.userID).filter(Column("enabled") == true)
        .fetchOne(database)
    }
  }

  private func reply(to grant: GrantRecord, at time: Double) -> TokenReply {
    TokenReply(
      access_token: access(of: grant.id, serial: grant.serial),
      refresh_token: refresh(of: grant.id),
      expires_in: Int(grant.accessExpires - time)
    )
  }

  private func access(of grant: String, serial: Int) -> String {
    derive("access|\(grant)|\(serial)")
  }

  private func refresh(of grant: String) -> String {
    derive("refresh|\(grant)")
  }

  /// The first half of an HMAC, written as a UUID of version 4.
  private func derive(_ text: String) -> String {
    var bytes = Array(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key).prefix(16))
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    var text = ""
    for (index, digit) in hex.enumerated() {
      if [8, 12, 16, 20].contains(index) { text += "-" }
      text.append(digit)
    }
    return text
  }
}

struct GrantRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "grantedToken"

  var id: String
  var userID: Int64
  var serial: Int
  var accessDigest: String
  var accessExpires: Double
  var refreshDigest: String
  var refreshExpires: Double
}

/// The token object of OAuth 2; the names are the protocol's.
struct TokenReply: Encodable {
  let access_token: String
  let token_type = "bearer"
  let refresh_token: String
  let expires_in: Int
  let scope = "read write"
}
