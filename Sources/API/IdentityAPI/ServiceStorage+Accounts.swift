import Authentication
import BaseJSON
import BaseStatus
import ServiceModule

extension ServiceStorage {
  /// The accounts of all projects, with their tokens, tickets, keys and set-up.
  ///
  /// An export has a project's users in the Firebase CLI's JSON, with the hashes of their passwords; its first
  /// line has the parameters of the hashes. An import takes such lines.
  package static func accounts(_ accounts: Accounts) -> ServiceStorage {
    var storage = ServiceStorage("accounts")
    storage.check = { _, tell in
      let count = try accounts.verify(
        progress: { try tell(.progress(done: $0, total: nil, unit: "account")) },
        report: { try tell(.difference($0)) }
      )
      return [StorageCount(count, "account")]
    }
    storage.transfers = [transfer(accounts)]
    return storage
  }

  private static func transfer(_ accounts: Accounts) -> StorageTransfer {
    StorageTransfer("accounts") { scope, tell, item in
      let project = accounts.project(scope.database.project)
      func line(_ text: String) throws {
        try item(StorageItem(file: "users", bytes: Array(text.utf8)))
      }
      if try project.count() > 0 { try line(AccountTransfer.line(project.passwordParameters())) }
      let count = try AccountTransfer.each(
        of: project,
        progress: { try tell(.progress(done: $0, total: $1, unit: "account")) },
        { try line(AccountTransfer.line($0)) }
      )
      return StorageCount(count, "account")
    } import: { scope, next, tell in
      var lines = AccountLines()
      let stored = try AccountTransfer.refused {
        try AccountTransfer.store(in: accounts.project(scope.database.project)) {
          try lines.user(next)
        }
      }
      for refusal in stored.refusals { try tell(.difference(refusal)) }
      return StorageCount(stored.read - stored.refusals.count, "account")
    }
  }
}

/// The lines of an import: accounts, and the parameters of the hashes that follow.
private struct AccountLines {
  private var reader: AccountTransfer.Reader?

  /// The next account; nil behind the last.
  mutating func user(_ next: () throws -> [UInt8]?) throws -> ImportedUser? {
    while let item = try next() {
      let line = String(decoding: item, as: UTF8.self)
      if AccountTransfer.areParameters(line) {
        reader = try AccountTransfer.Reader(parameters: line)
        continue
      }
      let reader = try reader ?? AccountTransfer.Reader(parameters: "{}")
      self.reader = reader
      return try reader.user(line)
    }
    return nil
  }
}

extension AccountTransfer {
  /// Whether a line has the parameters of hashes and no account.
  fileprivate static func areParameters(_ line: String) -> Bool {
    guard let json = try? JSONValue(parsing: line) else { return false }
    return json["hashAlgorithm"] != nil && json["localId"] == nil
  }

  /// Tells a refusal of accounts as an error of the program's.
  fileprivate static func refused<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as AccountError {
      throw ServiceError(.invalidArgument, error.message, cause: error.cause)
    }
  }
}
