import BaseText
import KeyValueStore

// An HMAC key's record, in the form of RecordWriter.swift. The access id is the key's.
//
//   1 project     2 service account's e-mail     3 secret; absent where the key is deleted     4 state
//   5 created     6 updated, both in microseconds          7 maker

/// A secret that the server shares with a back end, by which it signs requests in a service account's name.
package struct HMACKey: Sendable, Hashable {
  /// The state of a key.
  package enum State: Int64, Sendable, Hashable {
    case active = 1
    /// Signs nothing until it is active again; can be deleted.
    case inactive = 2
    /// Never comes back; it is listed for some weeks.
    case deleted = 3
  }

  /// Names the key in requests; unique.
  package let accessID: Text
  /// The id of the project that has the key.
  package let project: Text
  /// The service account's e-mail.
  package let account: Text
  /// The account that made the key, as people know it: an email address, or `command line`; empty where that is not known.
  package let maker: String
  /// Nil once the key is deleted.
  package internal(set) var secret: String?
  /// An inactive key can become active again, a deleted one cannot.
  package internal(set) var state = State.active
  /// In microseconds since 1970.
  package let created: Int64
  /// The last change of the state, in microseconds since 1970; every change raises it.
  package internal(set) var updated: Int64

  /// A text that changes with the key.
  package var entityTag: String { Base64.standard(StorageKey.number(updated)) }

  /// A key as it was exported; a deleted one has no secret, and is not exported.
  package init(
    accessID: Text,
    project: Text,
    account: Text,
    secret: String,
    isActive: Bool,
    created: Int64,
    updated: Int64,
    maker: String = ""
  ) {
    self.maker = maker
    self.accessID = accessID
    self.project = project
    self.account = account
    self.secret = secret
    state = isActive ? .active : .inactive
    self.created = created
    self.updated = updated
  }

  init(project: Text, account: Text, maker: String, at time: Int64) {
    self.maker = maker
    accessID = Text("GOOG1E" + Self.random(55, of: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"))
    secret = Self.random(40, of: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    self.project = project
    self.account = account
    created = time
    updated = time
  }

  private static func random(_ count: Int, of alphabet: String) -> String {
    let characters = Array(alphabet.utf8)
    var source = SystemRandomNumberGenerator()
    let chosen = (0..<count).map { _ in
      characters[Int.random(in: 0..<characters.count, using: &source)]
    }
    return String(decoding: chosen, as: UTF8.self)
  }
}

extension HMACKey {
  static let format = ValueFormat("an HMAC key") { try RecordReader(Array($0)) }

  var bytes: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, project)
    writer.put(2, account)
    writer.put(3, secret)
    writer.put(4, state.rawValue)
    writer.put(5, created)
    writer.put(6, updated)
    writer.put(7, maker)
    return writer.bytes
  }

  init(_ accessID: Text, _ record: RecordReader) throws {
    var reader = record
    var texts: [UInt8: String] = [:]
    var numbers: [UInt8: Int64] = [:]
    while let field = try reader.next() {
      if field.tag <= 3 || field.tag == 7 {
        texts[field.tag] = try field.string()
      } else {
        numbers[field.tag] = try field.number()
      }
    }
    guard let state = State(rawValue: numbers[4] ?? 0) else {
      throw RecordReader.corrupt("an unknown state of an HMAC key")
    }
    self.accessID = accessID
    self.state = state
    maker = texts[7] ?? ""
    project = Text(texts[1] ?? "")
    account = Text(texts[2] ?? "")
    secret = texts[3]
    created = numbers[5] ?? 0
    updated = numbers[6] ?? 0
  }
}

extension KeyValueReader {
  func hmacKey(_ accessID: Text) throws -> HMACKey? {
    try get(StorageKey.hmacKey(accessID), as: HMACKey.format).map { try HMACKey(accessID, $0) }
  }

  /// Keys in the order of their access ids, from one on; of a project, or of all where it is nil.
  func hmacKeys(of project: Text?, from first: Text) throws -> [HMACKey] {
    let prefix = StorageKey.prefix(.hmacKey)
    var range = KeyRange(prefix: prefix)
    range.lower += first.utf8
    let cursor = try cursor(over: range, reversed: false)
    var keys: [HMACKey] = []
    while try cursor.next() {
      let id = Text(String(decoding: cursor.key[prefix.count...], as: UTF8.self))
      let key = try HMACKey(id, try cursor.value(as: HMACKey.format, in: self))
      if project ?? key.project == key.project { keys.append(key) }
    }
    return keys
  }
}
