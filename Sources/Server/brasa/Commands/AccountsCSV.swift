import ArgumentParser
import BaseJSON
import Foundation

/// Accounts in the columns of `firebase auth:export`: RFC 4180 without a header.
///
/// The columns are: uid, email, verified, hash, salt, name, photo; then four each (id, email, name,
/// photo) of Google, Facebook, Twitter and GitHub; then the times of creation and of the last
/// sign-in in milliseconds, the telephone number and custom claims.
enum AccountsCSV {
  /// The accounts of a file in the members of the JSON form.
  static func users(_ text: String, in file: String) throws -> [JSONValue] {
    try rows(text, in: file).enumerated().map { index, row in
      guard (4...30).contains(row.count), !row[0].isEmpty else {
        throw ValidationError(
          "\(file), row \(index + 1): there are \(row.count) columns, or no uid."
        )
      }
      return user(row)
    }
  }

  private static let providers = [
    (7, "google.com"), (11, "facebook.com"), (15, "twitter.com"), (19, "github.com"),
  ]

  private static func user(_ row: [String]) -> JSONValue {
    func column(_ index: Int) -> String? {
      index < row.count && !row[index].isEmpty ? row[index] : nil
    }
    var members: [JSONValue.Member] = []
    func put(_ name: String, _ index: Int) {
      if let text = column(index) { members.append(.init(name, .string(text))) }
    }
    put("localId", 0)
    put("email", 1)
    if let verified = column(2) {
      members.append(.init("emailVerified", .boolean(verified.lowercased() == "true")))
    }
    put("passwordHash", 3)
    put("salt", 4)
    put("displayName", 5)
    put("photoUrl", 6)
    let linked = providers.compactMap { start, provider -> JSONValue? in
      guard let id = column(start) else { return nil }
      let names = ["email", "displayName", "photoUrl"]
      let others = names.enumerated().compactMap { offset, name in
        column(start + 1 + offset).map { JSONValue.Member(name, .string($0)) }
      }
      return .object(
        [.init("providerId", .string(provider)), .init("rawId", .string(id))] + others
      )
    }
    if !linked.isEmpty { members.append(.init("providerUserInfo", .array(linked))) }
    put("createdAt", 23)
    put("lastLoginAt", 24)
    put("phoneNumber", 25)
    put("customAttributes", 26)
    return .object(members)
  }

  /// The rows of a file; refuses a quote that does not end.
  private static func rows(_ text: String, in file: String) throws -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var field: [UInt8] = []
    var isQuoted = false
    var bytes = text.utf8.makeIterator()
    var next = bytes.next()
    func end() {
      row.append(String(decoding: field, as: UTF8.self))
      field = []
    }
    while let byte = next {
      next = bytes.next()
      switch (byte, isQuoted) {
      case (UInt8(ascii: "\""), true) where next == UInt8(ascii: "\""):
        field.append(byte)
        next = bytes.next()
      case (UInt8(ascii: "\""), true): isQuoted = false
      case (UInt8(ascii: "\""), false) where field.isEmpty: isQuoted = true
      case (UInt8(ascii: ","), false): end()
      case (UInt8(ascii: "\r"), false) where next == UInt8(ascii: "\n"): break
      case (UInt8(ascii: "\n"), false):
        end()
        if row != [""] { rows.append(row) }
        row = []
      default: field.append(byte)
      }
    }
    guard !isQuoted else { throw ValidationError("\(file) ends in a quoted text.") }
    end()
    if row != [""] { rows.append(row) }
    return rows
  }
}
