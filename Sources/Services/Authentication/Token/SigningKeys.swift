import BaseJSON
import BaseRuntime
import BaseText
import CryptoExtras
import FirestoreModel
import KeyValueStore
import Synchronization

/// The keys that sign tokens, with rotation.
///
/// The newest key whose lead is over signs; the first signs at once. When the newest is older than its
/// lifetime, a next one is made: it is published during its lead, before any token needs it. A key goes
/// when nothing that it signed can still be valid: fourteen days after its successor took over, the life of
/// the longest session cookie. Keys are made when first needed.
package final class SigningKeys: Sendable {
  private let engine: any KeyValueEngine
  private let clock: MicrosecondClock
  private let lifetime: Int64
  private let lead: Int64
  private let bits: Int
  /// As they are stored, by age, the oldest first.
  private let keys: Mutex<[SigningKey]>
  /// The newest key, for all callers that need a next one; held while one is created, which takes
  /// long.
  private let made = Mutex<SigningKey?>(nil)

  /// The longest lifetime of a session cookie, in seconds.
  static let longestToken: Int64 = 14 * 86_400

  init(engine: any KeyValueEngine, configuration: AccountsConfiguration) throws {
    self.engine = engine
    clock = configuration.clock
    lifetime = configuration.signingKeyLifetime
    lead = configuration.signingKeyLead
    bits = configuration.signingKeyBits
    keys = Mutex(try engine.read { try Self.load($0) })
  }

  /// The document with the public keys, as RFC 7517 has it.
  package func webKeys() throws -> String {
    JSONValue.object([.init("keys", .array(try current().map { try $0.webKey() }))]).compact
  }

  /// The document with a certificate for each key, by key id.
  package func certificates() throws -> String {
    JSONValue.object(try current().map { .init($0.id, .string($0.certificate)) }).compact
  }

  /// The time for which readers may keep the documents, in seconds: less than a key's lead.
  package var documentLifetime: Int64 { min(6 * 3_600, max(lead / 2, 60)) }

  /// Makes a next key now, as if the newest were too old; `immediately` lets go of all older ones, and
  /// with them of every token.
  package func rotate(immediately: Bool = false) throws {
    let next = try makeKey(at: clock.now() / 1_000_000)
    _ = try change { keys in (immediately ? [] : keys) + [next] }
  }

  /// The key that signs now.
  func signer() throws -> SigningKey {
    let keys = try current()
    let time = clock.now() / 1_000_000
    guard let key = keys.last(where: { $0.createdAt + lead <= time }) ?? keys.first else {
      throw AccountError(.internalError)
    }
    return key
  }

  /// The public key of that id, as long as tokens of it may be valid.
  func publicKey(_ id: String) -> _RSA.Signing.PublicKey? {
    keys.withLock { $0.first { $0.id == id }?.publicKey }
  }

  /// Reads the keys again; returns since when they are valid, if none of the earlier ones is left.
  func read(_ reader: any KeyValueReader) throws -> Int64? {
    let stored = try Self.load(reader)
    return keys.withLock { keys in
      defer { keys = stored }
      let known = Set(keys.map(\.id))
      guard !keys.isEmpty, !stored.contains(where: { known.contains($0.id) }) else { return nil }
      return stored.first?.createdAt ?? 0
    }
  }

  /// All keys after what time asks for was done.
  private func current() throws -> [SigningKey] {
    let time = clock.now() / 1_000_000
    let known = keys.withLock { $0 }
    let isDue = needsKey(known, at: time)
    guard isDue || overCount(known, at: time) > 0 else { return known }
    let next = isDue ? try nextKey(at: time) : nil
    return try change { keys in
      // Others may have written a next one since.
      let added = needsKey(keys, at: time) ? next.map { [$0] } ?? [] : []
      return keys.dropFirst(overCount(keys, at: time)) + added
    }
  }

  private func needsKey(_ keys: [SigningKey], at time: Int64) -> Bool {
    keys.last.map { $0.createdAt + lifetime <= time } ?? true
  }

  /// Returns the number of the oldest keys that have signed nothing that may still be valid.
  private func overCount(_ keys: [SigningKey], at time: Int64) -> Int {
    keys.indices.dropLast().prefix {
      keys[$0 + 1].createdAt + lead + Self.longestToken < time
    }.count
  }

  /// A key to come next, the same for all who need one.
  private func nextKey(at time: Int64) throws -> SigningKey {
    try made.withLock { made in
      if let made, made.createdAt + lifetime > time { return made }
      let key = try makeKey(at: time)
      made = key
      return key
    }
  }

  private func makeKey(at time: Int64) throws -> SigningKey {
    try SigningKey(bits: bits, createdAt: time, lifetime: certificateLifetime)
  }

  /// Stores other keys; memory has them when they are durable.
  private func change(_ change: ([SigningKey]) -> [SigningKey]) throws -> [SigningKey] {
    try engine.write { group in
      let old = try Self.load(group)
      let new = change(old)
      let (oldIDs, newIDs) = (Set(old.map(\.id)), Set(new.map(\.id)))
      for key in old where !newIDs.contains(key.id) { try group.delete(Self.key(key.id)) }
      for key in new where !oldIDs.contains(key.id) {
        try group.put(Self.key(key.id), key.encoded())
      }
      return new
    } settled: { outcome in
      if case .success(let new) = outcome { keys.withLock { $0 = new } }
    }
  }

  private var certificateLifetime: Int64 { lifetime + 2 * lead + Self.longestToken }

  private static func key(_ id: String) -> [UInt8] { AccountKey.prefix(.signingKey, Text(id)) }

  private static func load(_ reader: any KeyValueReader) throws -> [SigningKey] {
    var keys: [SigningKey] = []
    let range = KeyRange(prefix: AccountKey.prefix(.signingKey))
    let cursor = try reader.cursor(over: range, reversed: false)
    while try cursor.next() {
      var position = 2
      guard let id = SegmentEncoding.decodeText(cursor.key, at: &position) else { continue }
      keys.append(try SigningKey(id: id.string, record: Array(cursor.value)))
    }
    return keys.sorted { $0.createdAt < $1.createdAt }
  }
}
