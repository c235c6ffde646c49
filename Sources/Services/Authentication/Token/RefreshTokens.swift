import BaseText
import Crypto
import FirestoreModel
import KeyValueStore

// A refresh token is the Base64 of: 0x01, its time (microseconds, 8 bytes), 32 random bytes, the
// scope (AccountScope.swift), the uid as UTF-8. The store keeps the SHA-256 digest of that
// text, in the key; the value, in the form of RecordWriter.swift, says how the session began:
// 1 provider, 2 time of sign-in (s), 3 extra claims, 4 second factor, 5 its kind, 6 session (us).

/// A refresh token, which names its session.
struct RefreshToken {
  let text: String
  let scope: AccountScope
  let uid: Text
  let issued: Int64

  /// A new token.
  init(scope: AccountScope, uid: Text, issued: Int64, random: RandomBytes) {
    self.scope = scope
    self.uid = uid
    self.issued = issued
    var bytes: [UInt8] = [0x01]
    appendBigEndian(UInt64(bitPattern: issued), to: &bytes)
    bytes += random.bytes(32)
    scope.append(to: &bytes)
    uid.withBytes { bytes += Array($0) }
    text = Base64.url(bytes)
  }

  /// Reads a client's text; nil if it is no refresh token.
  init?(_ text: String) {
    guard text.utf8.count <= 2_048, let bytes = Base64.decodeStrictly(Array(text.utf8)),
      bytes.count > 41, bytes[0] == 0x01
    else { return nil }
    self.text = text
    var position = 1
    let parts = bytes.withUnsafeBytes { raw -> (Int64, AccountScope)? in
      guard let time = readBigEndian(raw, at: &position) else { return nil }
      position += 32
      return AccountScope.decode(raw, at: &position).map { (Int64(bitPattern: time), $0) }
    }
    guard let parts, let uid = String(validating: bytes[position...], as: UTF8.self), !uid.isEmpty
    else { return nil }
    (issued, scope) = parts
    self.uid = Text(uid)
  }

  var key: [UInt8] {
    let digest = Array(SHA256.hash(data: Array(text.utf8)))
    return AccountKey.refreshToken(scope, uid, issued: issued, digest: digest)
  }
}

extension SignInFacts {
  func encoded(session: Int64) -> [UInt8] {
    var writer = RecordWriter()
    writer.put(1, provider)
    writer.put(2, time)
    writer.put(3, extraClaims)
    writer.put(4, secondFactor?.id)
    writer.put(5, secondFactor?.kind)
    writer.put(6, session)
    return writer.bytes
  }

  /// The facts and the session of a refresh token's record.
  static func decode(_ record: [UInt8]) throws -> (facts: SignInFacts, session: Int64) {
    var reader = try RecordReader(record)
    var texts: [UInt8: String] = [:]
    var numbers: [UInt8: Int64] = [:]
    while let field = try reader.next() {
      if field.tag == 2 || field.tag == 6 {
        numbers[field.tag] = try field.number()
      } else {
        texts[field.tag] = try field.string()
      }
    }
    let factor = texts[4].map { Factor(id: Text($0), kind: Text(texts[5] ?? "")) }
    let facts = SignInFacts(
      provider: Text(texts[1] ?? ""),
      time: numbers[2] ?? 0,
      extraClaims: texts[3],
      secondFactor: factor
    )
    return (facts, numbers[6] ?? 0)
  }
}

extension UserGroup {
  /// Keeps a new refresh token; the oldest of the others go where there are too many.
  func keep(_ token: RefreshToken, _ facts: SignInFacts, session: Int64, atMost: Int) throws {
    // Walked before anything is written into it: the engine need not join its writes with the walk then.
    let range = KeyRange(prefix: AccountKey.refreshTokens(scope, token.uid))
    let cursor = try group.cursor(over: range, reversed: true)
    var count = 1
    var surplus: [[UInt8]] = []
    while try cursor.next() {
      count += 1
      if count > atMost { surplus.append(Array(cursor.key)) }
    }
    for key in surplus { try group.delete(key) }
    try group.put(token.key, facts.encoded(session: session))
  }
}
