import Authentication
import BaseJSON
import BaseStatus
import ServiceModule

extension StorageTransfer {
  /// A project's users in the Firebase CLI's JSON, a line each, with the hashes of their passwords.
  ///
  /// A line with `hashAlgorithm` and no `localId` has the parameters of the hashes that follow it. Second factors are
  /// secrets, and a kind of their own: an import leaves an account that is there those that it has.
  static func accounts(_ accounts: Accounts) -> StorageTransfer {
    StorageTransfer("accounts") { scope, tell, item in
      let project = accounts.project(scope.database.project)
      var writer = AccountLineWriter(project)
      let count = try AccountTransfer.each(
        of: project,
        progress: { try tell(.progress(done: $0, total: $1, unit: "account")) },
        { user in
          for line in try writer.lines(of: user) {
            try item(StorageItem(file: "users", bytes: Array(line.utf8)))
          }
        }
      )
      if writer.withSecondFactor > 0 { try tell(writer.omission) }
      return StorageCount(count, "account")
    } import: { scope, next, tell in
      var lines = AccountLines(takesEmulators: accounts.configuration.acceptsUnsigned)
      let stored = try TransferRefusal.translating {
        try AccountTransfer.store(in: accounts.project(scope.database.project)) {
          try lines.user(next)
        }
      }
      for refusal in stored.refusals { try tell(.difference(refusal)) }
      return StorageCount(stored.read - stored.refusals.count, "account")
    }
  }
}

/// The lines of accounts, and of the parameters of their hashes wherever those change.
private struct AccountLineWriter {
  private let project: ProjectAccounts
  private var algorithm: PasswordAlgorithm?
  /// The number of accounts with a second factor.
  private(set) var withSecondFactor = 0

  init(_ project: ProjectAccounts) { self.project = project }

  mutating func lines(of user: User) throws -> [String] {
    var lines: [String] = []
    let wanted = user.password?.algorithm ?? algorithm ?? .own
    if wanted != algorithm {
      lines.append(AccountTransfer.line(wanted, own: try project.passwordParameters()))
      algorithm = wanted
    }
    if !user.secondFactors.isEmpty { withSecondFactor += 1 }
    return lines + [AccountTransfer.line(user, hasForeignHash: true)]
  }

  var omission: StorageEvent {
    let subject = withSecondFactor == 1 ? "1 account" : "\(withSecondFactor) accounts"
    return .omission(
      "The second factors of \(subject). After an import these accounts sign in with only the password.",
      secret: "second-factors"
    )
  }
}

/// The lines of an import: accounts, and the parameters of the hashes that follow.
private struct AccountLines {
  let takesEmulators: Bool
  private var reader: AccountTransfer.Reader?

  init(takesEmulators: Bool) { self.takesEmulators = takesEmulators }

  /// The next account; nil behind the last.
  mutating func user(_ next: () throws -> [UInt8]?) throws -> ImportedUser? {
    while let item = try next() {
      let line = String(decoding: item, as: UTF8.self)
      if AccountTransfer.areParameters(line) {
        reader = try makeReader(line)
        continue
      }
      let reader = try reader ?? makeReader("{}")
      self.reader = reader
      return try reader.user(line)
    }
    return nil
  }

  private func makeReader(_ parameters: String) throws -> AccountTransfer.Reader {
    try AccountTransfer.Reader(parameters: parameters, takesEmulators: takesEmulators)
  }
}

extension AccountTransfer {
  /// Returns true if a line has the parameters of hashes and no account.
  fileprivate static func areParameters(_ line: String) -> Bool {
    guard let json = try? JSONValue(parsing: line) else { return false }
    return json["hashAlgorithm"] != nil && json["localId"] == nil
  }
}

/// Refusals of accounts as the program's errors, and those of one item of an import as sentences.
enum TransferRefusal {
  /// Translates a refusal of accounts into an error of the program's.
  static func translating<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as AccountError {
      throw ServiceError(.invalidArgument, error.message, cause: error.cause)
    }
  }

  /// Stores one item; returns why it was refused, or nil.
  ///
  /// Errors of the item are its refusal; any other error ends the import.
  static func of(_ name: String, _ body: () throws -> Void) throws -> String? {
    do {
      try body()
      return nil
    } catch let error as AccountError {
      return "\(name): \(error.message)"
    } catch let error as IdentityFailure {
      return "\(name): \(error.message)"
    } catch let error as DecodingError {
      return "\(name): a member is missing or of another kind (\(Self.path(of: error)))."
    } catch let error as ServiceError where error.code == .invalidArgument {
      return "\(name): \(error.message)"
    }
  }

  private static func path(of error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context):
      (context.codingPath.map(\.stringValue) + [key.stringValue]).joined(separator: ".")
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      context.codingPath.map(\.stringValue).joined(separator: ".")
    @unknown default: "?"
    }
  }
}
