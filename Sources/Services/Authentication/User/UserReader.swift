import BaseText
import KeyValueStore

/// Finds users of one scope in a view or a group.
struct UserReader {
  let reader: any KeyValueReader
  let scope: AccountScope

  func user(_ uid: Text) throws -> User? {
    let format = ValueFormat("a user") { try User(uid: uid, record: Array($0)) }
    return try reader.get(AccountKey.user(scope, uid), as: format)
  }

  func user(email: EmailAddress) throws -> User? {
    try user(at: AccountKey.email(scope, email))
  }

  /// The users whose first address this was, even if it has changed since.
  func users(initialEmail email: EmailAddress) throws -> [User] {
    var found: [User] = []
    let range = KeyRange(prefix: AccountKey.initialEmails(scope, email))
    let cursor = try reader.cursor(over: range, reversed: false)
    while try cursor.next() {
      guard let uid = String(validating: Array(cursor.value), as: UTF8.self),
        let user = try user(Text(uid))
      else { throw RecordReader.corrupt("an index entry of a user that does not exist") }
      found.append(user)
    }
    if let user = try user(email: email), user.initialEmail == nil { found.append(user) }
    return found
  }

  func user(phone: PhoneNumber) throws -> User? {
    try user(at: AccountKey.phone(scope, phone.text))
  }

  func user(provider: Text, rawID: Text) throws -> User? {
    try user(at: AccountKey.provider(scope, provider, rawID))
  }

  /// The uid that an index entry holds.
  func owner(_ key: [UInt8]) throws -> Text? {
    guard let bytes = try reader.get(key) else { return nil }
    guard let uid = String(validating: bytes, as: UTF8.self) else {
      throw RecordReader.corrupt("a uid that is not UTF-8")
    }
    return Text(uid)
  }

  private func user(at key: [UInt8]) throws -> User? {
    guard let uid = try owner(key) else { return nil }
    guard let user = try user(uid) else {
      throw RecordReader.corrupt("an index entry of a user that does not exist")
    }
    return user
  }
}
