import ArgumentParser
import BaseJSON
import Foundation

/// The parameters of the hashes in an `accounts.json` that `brasa export` wrote: the file `passwords.json` beside it.
///
/// It is {"groups": [{"parameters": {"hashAlgorithm": …}, "users": [uid, …]}, …]}. The emulator writes passwords as they are (`fakeHash`)
/// and has no such file.
struct EmulatorPasswords {
  static let file = "passwords.json"

  /// The lines of parameters.
  private(set) var parameters: [String] = []
  private var users: [[String]] = []

  init() {}

  /// Reads the file; nil where there is none.
  init?(_ folder: URL, below root: URL) throws {
    let url = folder.appendingPathComponent(Self.file)
    guard let bytes = try PlainFile.contents(of: url, below: root) else { return nil }
    let json = try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
    guard let groups = json?["groups"]?.elements else {
      throw ValidationError("\(url.path) is damaged. Passwords can't be imported without it.")
    }
    for group in groups {
      guard let parameters = group["parameters"] else { continue }
      self.parameters.append(parameters.compact)
      users.append(group["users"]?.elements?.compactMap(\.string) ?? [])
    }
  }

  /// The numbers of the parameters by uid.
  var groups: [String: Int] {
    var groups: [String: Int] = [:]
    for (index, uids) in users.enumerated() { for uid in uids { groups[uid] = index } }
    return groups
  }

  /// Begins a group, or continues with that of the same parameters.
  mutating func add(_ uid: String, _ parameters: String) {
    let index = self.parameters.firstIndex(of: parameters) ?? self.parameters.endIndex
    if index == self.parameters.endIndex {
      self.parameters.append(parameters)
      users.append([])
    }
    users[index].append(uid)
  }

  /// The bytes of the file.
  var json: String {
    let groups = zip(parameters, users).map { parameters, users in
      JSONValue.object([
        "parameters": (try? JSONValue(parsing: parameters)) ?? .object([]),
        "users": .array(users.map(JSONValue.string)),
      ])
    }
    return JSONValue.object(["groups": .array(groups)]).printed() + "\n"
  }
}

/// The accounts of the emulators' folder as lines of an import of accounts.
final class EmulatorAccounts: ImportSource {
  /// The kind of the items.
  static let kind = "accounts"
  static let file = "accounts.json"
  static let configuration = "config.json"

  private var users: [JSONValue]
  private let passwords: EmulatorPasswords
  private let groups: [String: Int]
  private var position = 0
  /// The parameters that were sent last.
  private var group: Int?
  /// A user whose parameters go first.
  private var held: [UInt8]?

  private(set) var lineCount = 0
  private(set) var drops: [String] = []
  /// Parts of the folder that are not read, a sentence each.
  let losses: [String]
  let bytesTotal: Int
  var bytesRead: Int { users.isEmpty ? 0 : bytesTotal / users.count * position }

  /// The accounts of a folder; nil where their file is missing.
  init?(_ folder: URL, below root: URL) throws {
    let file = folder.appendingPathComponent(Self.file)
    guard let bytes = try PlainFile.contents(of: file, below: root) else { return nil }
    let json = try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
    guard let users = json?["users"]?.elements else {
      throw ValidationError("\(file.path) is damaged: it has no list \"users\".")
    }
    self.users = users
    bytesTotal = bytes.count
    passwords = try EmulatorPasswords(folder, below: root) ?? EmulatorPasswords()
    groups = passwords.groups
    losses = try Self.losses(folder, below: root)
  }

  func next() throws -> [UInt8]? {
    if let held {
      self.held = nil
      return held
    }
    while position < users.count {
      let user = users[position]
      position += 1
      lineCount += 1
      guard let uid = user["localId"]?.string else {
        drops.append("account \(position) has no localId.")
        continue
      }
      let line = Array(user.compact.utf8)
      guard let hash = user["passwordHash"]?.string, !hash.hasPrefix("fakeHash:") else {
        return line
      }
      guard let wanted = groups[uid] else {
        drops.append(
          "\(uid): its passwordHash has no algorithm. Import it with brasa users import and --hash-algo."
        )
        continue
      }
      if wanted == group { return line }
      group = wanted
      held = line
      return Array(passwords.parameters[wanted].utf8)
    }
    return nil
  }

  private static func losses(_ folder: URL, below root: URL) throws -> [String] {
    var losses: [String] = []
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names.sorted() where name.hasPrefix("accounts-") && name.hasSuffix(".json") {
      losses.append("\(name) contains the accounts of a tenant. Brasa does not support tenants.")
    }
    let file = folder.appendingPathComponent(configuration)
    guard let bytes = try PlainFile.contents(of: file, below: root) else { return losses }
    let json = try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
    if json?["signIn"]?["allowDuplicateEmails"]?.boolean == true {
      losses.append("\(configuration) allows several accounts with one email. Brasa does not.")
    }
    return losses
  }
}
