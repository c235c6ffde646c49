import BaseText
import FirestoreModel
import KeyValueStore

// The keys of accounts. All begin with 0x50, the first byte of `KeyOwner.accounts`, then the byte of their
// kind. Text is `SegmentEncoding`'s escaped form (0x00 as 0x00 0xFF, ended by 0x00 0x01), times are
// microseconds as 8 bytes big-endian, digests are SHA-256's 32 bytes, scopes as in AccountScope.swift.
//
//   0x01 user             scope, uid                        UserRecord.swift
//   0x02 e-mail           scope, canonical e-mail           uid as UTF-8
//   0x03 phone            scope, number                     uid
//   0x04 provider         scope, provider id, raw id        uid
//   0x05 refresh token    scope, uid, time, digest          RefreshTokenRecord.swift
//   0x06 ticket           digest                            Ticket.swift
//   0x07 ticket's end     time, digest                      a marker; what to sweep when
//   0x08 initial e-mail   scope, canonical e-mail, uid      uid
//   0x09 listed ticket    scope, kind, digest               ListedTicket.swift
//   0x20 scope            scope                             configuration as JSON
//   0x21 provider set-up  scope, kind, id                   configuration as JSON
//   0x22 app               scope, app id                 RegisteredApp as JSON
//   0x30 signing key      kid                               SigningKeyRecord.swift
//   0x31 service account  e-mail, kid                       ServiceAccountRecord.swift
//   0x32 providers' secret                                  32 random bytes, see IdentityProviders.swift

extension KeyOwner {
  /// Users, tokens, codes, keys and the set-up of projects.
  package static let accounts = KeyOwner("accounts", firstBytes: 0x50...0x5F)
}

/// The keys of accounts in the store.
enum AccountKey {
  /// The first byte of every key.
  static let space = KeyOwner.accounts.firstBytes.lowerBound

  enum Kind: UInt8 {
    case user = 0x01
    case email = 0x02
    case phone = 0x03
    case provider = 0x04
    case refreshToken = 0x05
    case ticket = 0x06
    case ticketEnd = 0x07
    case initialEmail = 0x08
    case listedTicket = 0x09
    case scope = 0x20
    case providerConfiguration = 0x21
    case app = 0x22
    case signingKey = 0x30
    case serviceAccount = 0x31
    case providersSecret = 0x32
  }

  /// Returns the prefix of all keys of a kind that has no scope.
  static func prefix(_ kind: Kind, _ parts: Text...) -> [UInt8] {
    var bytes = [space, kind.rawValue]
    append(parts, to: &bytes)
    return bytes
  }

  /// Returns the prefix of all keys of a kind in a scope.
  static func prefix(_ kind: Kind, _ scope: AccountScope, _ parts: Text...) -> [UInt8] {
    var bytes = [space, kind.rawValue]
    scope.append(to: &bytes)
    append(parts, to: &bytes)
    return bytes
  }

  private static func append(_ parts: [Text], to bytes: inout [UInt8]) {
    for part in parts { part.withBytes { SegmentEncoding.appendEscaped($0, to: &bytes) } }
  }

  static func user(_ scope: AccountScope, _ uid: Text) -> [UInt8] { prefix(.user, scope, uid) }

  /// The scope in a key whose kind has one.
  static func scope(ofKey key: UnsafeRawBufferPointer) -> AccountScope? {
    var position = 2
    return AccountScope.decode(key, at: &position)
  }

  /// The uid in a user's key.
  static func uid(ofUserKey key: UnsafeRawBufferPointer) -> Text? {
    var position = 2
    guard AccountScope.decode(key, at: &position) != nil else { return nil }
    return SegmentEncoding.decodeText(key, at: &position)
  }

  static func email(_ scope: AccountScope, _ email: EmailAddress) -> [UInt8] {
    prefix(.email, scope, email.text)
  }

  /// All users whose first address it was, or one of them.
  static func initialEmails(_ scope: AccountScope, _ email: EmailAddress) -> [UInt8] {
    prefix(.initialEmail, scope, email.text)
  }

  static func initialEmail(_ scope: AccountScope, _ email: EmailAddress, _ uid: Text) -> [UInt8] {
    prefix(.initialEmail, scope, email.text, uid)
  }

  static func phone(_ scope: AccountScope, _ number: Text) -> [UInt8] {
    prefix(.phone, scope, number)
  }

  static func provider(_ scope: AccountScope, _ provider: Text, _ rawID: Text) -> [UInt8] {
    prefix(.provider, scope, provider, rawID)
  }

  static func refreshTokens(_ scope: AccountScope, _ uid: Text) -> [UInt8] {
    prefix(.refreshToken, scope, uid)
  }

  static func refreshToken(
    _ scope: AccountScope,
    _ uid: Text,
    issued: Int64,
    digest: [UInt8]
  ) -> [UInt8] {
    var bytes = refreshTokens(scope, uid)
    appendBigEndian(UInt64(bitPattern: issued), to: &bytes)
    return bytes + digest
  }

  static func ticket(_ digest: [UInt8]) -> [UInt8] { prefix(.ticket) + digest }

  static func ticketEnd(_ time: Int64, _ digest: [UInt8]) -> [UInt8] {
    var bytes = prefix(.ticketEnd)
    appendBigEndian(UInt64(bitPattern: time), to: &bytes)
    return bytes + digest
  }
}
