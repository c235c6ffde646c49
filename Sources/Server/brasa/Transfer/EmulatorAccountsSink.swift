import BaseJSON
import Foundation

/// Accounts as the emulators' folder has them; ours has their passwords' parameters besides (see `EmulatorPasswords`).
final class EmulatorAccountsSink: ExportSink {
  private let folder: String
  private let file: FileHandle
  private var passwords = EmulatorPasswords()
  private var parameters: String?
  private(set) var lineCount = 0
  /// Accounts whose passwords Google's emulator can't check.
  private(set) var withPassword = 0

  private static let start =
    #"{"kind":"identitytoolkit#DownloadAccountResponse","users":["#
  private static let configuration = #"{"signIn":{"allowDuplicateEmails":false}}"#

  /// Accounts in a folder, which is made.
  init(creating folder: String) throws {
    _ = try ExportDirectory(creating: folder)
    self.folder = folder
    file = try Self.create("\(folder)/\(EmulatorAccounts.file)")
    try file.write(contentsOf: Data(Self.start.utf8))
  }

  func take(_ item: [UInt8], of file: String) throws {
    let json = try JSONParser.parse(item)
    guard let uid = json["localId"]?.string else {
      parameters = String(decoding: item, as: UTF8.self)
      return
    }
    if json["passwordHash"] != nil, let parameters {
      passwords.add(uid, parameters)
      withPassword += 1
    }
    let separator = lineCount == 0 ? "\n" : ",\n"
    try self.file.write(contentsOf: Data((separator + Self.account(json).compact).utf8))
    lineCount += 1
  }

  func close() throws {
    try file.write(contentsOf: Data("]}\n".utf8))
    try file.synchronize()
    try file.close()
    try write(passwords.json, to: EmulatorPasswords.file)
    try write(Self.configuration + "\n", to: EmulatorAccounts.configuration)
  }

  /// An account in the members that the emulator takes.
  private static func account(_ json: JSONValue) -> JSONValue {
    let members = (json.members ?? []).map { member -> JSONValue.Member in
      switch member.key {
      case "lastSignedInAt": .init("lastLoginAt", member.value)
      case "passwordUpdatedAt":
        .init(member.key, member.value.string.map(JSONValue.number) ?? member.value)
      default: member
      }
    }
    return .object(members)
  }

  private func write(_ text: String, to name: String) throws {
    let file = try Self.create("\(folder)/\(name)")
    try file.write(contentsOf: Data(text.utf8))
    try file.synchronize()
    try file.close()
  }

  /// Makes a file that its owner alone reads: hashes are in it.
  private static func create(_ path: String) throws -> FileHandle {
    let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
    guard FileManager.default.createFile(atPath: path, contents: nil, attributes: attributes),
      let file = FileHandle(forWritingAtPath: path)
    else { throw CommandFailure("\(path) can't be written. Check the free disk space.") }
    return file
  }
}
