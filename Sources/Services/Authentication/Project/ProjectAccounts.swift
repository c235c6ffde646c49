import BaseText
import Foundation
import KeyValueStore

/// The accounts of one scope, mostly a project.
package struct ProjectAccounts: Sendable {
  /// The accounts of all scopes, which do the work.
  package let accounts: Accounts
  /// The project or tenant whose users these are.
  package let scope: AccountScope

  var now: Int64 { accounts.now }
  var random: RandomBytes { accounts.configuration.random }

  /// Returns the name by which limits know the account of that address.
  func name(_ email: EmailAddress) -> Text { Text("\(scope) \(email.string)") }

  /// Returns the name by which limits know the account of that uid.
  func name(_ uid: Text) -> Text { Text("\(scope) \(uid)") }

  /// Runs a write on the scope's users.
  func write<R>(_ body: (UserGroup) throws -> R) throws -> R {
    try accounts.write(scope, body)
  }

  /// Runs a read on the scope's users.
  func read<R>(_ body: (UserReader) throws -> R) throws -> R { try accounts.read(scope, body) }
}

// MARK: Configuration

extension ProjectAccounts {
  /// Returns the project's settings.
  package func configuration() throws -> ProjectConfiguration {
    try record()?.configuration ?? accounts.configuration.defaults
  }

  /// Changes the configuration and returns the new one.
  @discardableResult
  package func configure(
    _ change: (inout ProjectConfiguration) throws -> Void
  ) throws -> ProjectConfiguration {
    try update { record in
      try change(&record.configuration)
      try record.configuration.check()
    }.configuration
  }

  /// Removes a project without accounts and apps, with its configuration and the secret of its
  /// password hashes.
  ///
  /// - Returns: False where it has accounts or apps.
  package func forget() throws -> Bool {
    try accounts.engine.write { group in
      for kind in [AccountKey.Kind.user, .app] {
        let range = KeyRange(prefix: AccountKey.prefix(kind, scope))
        if try group.cursor(over: range, reversed: false).next() { return false }
      }
      try group.delete(AccountKey.prefix(.scope, scope))
      return true
    } settled: { outcome in
      if case .success(true) = outcome { accounts.projects.withLock { $0[scope] = nil } }
    }
  }

  /// The parameters of the project's password hashes, as an export prints them; a secret.
  package func passwordParameters() throws -> FirebaseScrypt {
    try (record() ?? update { _ in }).passwordParameters
  }

  /// The same of a project that has some; asking makes none.
  package func knownPasswordParameters() throws -> FirebaseScrypt? {
    try record()?.passwordParameters
  }

  /// Makes hashes; the first time, the project's secret too.
  var hasher: PasswordHasher {
    get throws { PasswordHasher(own: try passwordParameters()) }
  }

  /// Checks hashes; of a project that has none it takes as long and writes nothing.
  var checkingHasher: PasswordHasher {
    get throws {
      let nothing = FirebaseScrypt(signerKey: [UInt8](repeating: 0, count: 64), saltSeparator: [7])
      return PasswordHasher(own: try record()?.passwordParameters ?? nothing)
    }
  }

  /// Returns the stored record of the project; nil before its first configuration or sign-up.
  private func record() throws -> ProjectRecord? {
    let (known, changes) = accounts.projects.withLock { ($0[scope], $0.changes) }
    if let known { return known }
    let key = AccountKey.prefix(.scope, scope)
    guard let stored = try accounts.engine.read({ try $0.get(key) }) else { return nil }
    let record = try decode(stored)
    return accounts.projects.withLock { projects in
      // A change that landed since the read has left a newer one.
      if let newer = projects[scope] { return newer }
      if projects.changes == changes { projects[scope] = record }
      return record
    }
  }

  /// Changes the record; memory has the changes in the order in which they are stored.
  private func update(_ change: (inout ProjectRecord) throws -> Void) throws -> ProjectRecord {
    let key = AccountKey.prefix(.scope, scope)
    return try accounts.engine.write { group in
      let stored = try group.get(key)
      var record =
        try stored.map(decode)
        ?? ProjectRecord(
          configuration: accounts.configuration.defaults,
          signerKey: random.bytes(64)
        )
      try change(&record)
      let bytes = Array(try JSONEncoder().encode(record))
      if bytes != stored { try group.put(key, bytes) }
      return record
    } settled: { outcome in
      if case .success(let record) = outcome {
        accounts.projects.withLock { $0[scope] = record }
      }
    }
  }

  private func decode(_ bytes: [UInt8]) throws -> ProjectRecord {
    var record = try JSONDecoder().decode(ProjectRecord.self, from: Data(bytes))
    record.configuration.hidesAccountsByDefault =
      accounts.configuration.defaults.hidesAccountsByDefault
    record.configuration.authorizesFirebaseHosting =
      accounts.configuration.defaults.authorizesFirebaseHosting
    return record
  }
}
