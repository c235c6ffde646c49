import Crypto
import Foundation
import Synchronization

/// The provider tokens of Apple's keys, each shared by all requests of its key.
///
/// Apple takes a token for an hour and refuses keys whose tokens change more often than every 20
/// minutes, so a token is used for 40 minutes after the time that it says. That is the last whole
/// 20 minutes: a restarted server creates one of the same time, or of one 20 minutes later. At most
/// `capacity` keys are kept, beyond which all are forgotten.
package final class APNsTokens: Sendable {
  /// The reason why a key gives no token.
  package enum Problem: Error {
    /// The private key is no P-256 key in PEM.
    case unreadableKey
  }

  /// The members in which equal keys agree; the bundle that a key serves is not among them.
  private struct Identity: Hashable {
    let keyID: String
    let teamID: String
    let privateKey: String

    init(_ key: APNsKey) {
      keyID = key.keyID
      teamID = key.teamID
      privateKey = key.privateKey
    }
  }

  private struct Entry {
    let header: String
    /// The time that the token says.
    let issued: Int
    let made: Int
  }

  /// The time for which a token is used, in seconds.
  static let use = 40 * 60
  /// The minimum age of a token before it is replaced, for any response of Apple, in seconds.
  static let minimumUse = 20 * 60

  private let capacity: Int
  private let entries = Mutex<[Identity: Entry]>([:])

  /// A cache for that many keys.
  package init(capacity: Int = 256) { self.capacity = capacity }

  /// The `authorization` header of a key at the instant `now`, in seconds since 1970.
  ///
  /// Calls of one key wait for each other while a token is made, so that there is only one.
  package func authorization(_ key: APNsKey, now: Int) throws(Problem) -> String {
    try entries.withLock { entries throws(Problem) in
      if let entry = entries[Identity(key)], (entry.issued...entry.issued + Self.use).contains(now)
      {
        return entry.header
      }
      if entries.count >= capacity { entries.removeAll() }
      let issued = now - now % Self.minimumUse
      let header = "bearer \(try Self.token(key, issued))"
      entries[Identity(key)] = Entry(header: header, issued: issued, made: now)
      return header
    }
  }

  /// Says that Apple called a key's token expired; false where the token is too new to be replaced.
  package func expire(_ key: APNsKey, now: Int) -> Bool {
    entries.withLock { entries in
      guard let entry = entries[Identity(key)] else { return true }
      let isOld = !(entry.made..<entry.made + Self.minimumUse).contains(now)
      if isOld { entries[Identity(key)] = nil }
      return isOld
    }
  }

  private static func token(_ key: APNsKey, _ issued: Int) throws(Problem) -> String {
    do {
      return try ES256Token.signed(
        header: [.init("alg", .string("ES256")), .init("kid", .string(key.keyID))],
        claims: [.init("iss", .string(key.teamID)), .init("iat", .integer(issued))],
        by: P256.Signing.PrivateKey(pemRepresentation: key.privateKey)
      )
    } catch {
      throw .unreadableKey
    }
  }
}
