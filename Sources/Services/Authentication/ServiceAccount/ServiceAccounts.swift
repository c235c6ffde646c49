import BaseJSON
import BaseText
import CryptoExtras
import KeyValueStore
import Synchronization

/// The keys of back ends' accounts; few, and all in memory.
package final class ServiceAccounts: Sendable {
  private let engine: any KeyValueEngine
  let configuration: AccountsConfiguration
  private let keys: Mutex<[String: ServiceAccount]>

  /// The keys that one server keeps at most.
  package static let maximum = 1_000

  init(engine: any KeyValueEngine, configuration: AccountsConfiguration) throws {
    self.engine = engine
    self.configuration = configuration
    keys = Mutex(try engine.read { try Self.load($0) })
  }

  /// All keys, the oldest first.
  package var all: [ServiceAccount] {
    keys.withLock { $0.values.sorted { ($0.createdAt, $0.keyID) < ($1.createdAt, $1.keyID) } }
  }

  /// Makes an account's key and returns the file that alone has its private part, as JSON.
  ///
  /// A name that exists gets a further key. Names are 4 to 30 of a-z, 0-9 and -, beginning with a
  /// letter. The file says that tokens are had at `origin`.
  ///
  /// - Parameter maker: The account that makes it, as people know it.
  package func create(
    _ name: String,
    role: ServiceAccount.Role,
    project: Text,
    origin: String,
    by maker: String = ""
  ) throws -> (account: ServiceAccount, file: String) {
    guard Self.isName(name) else {
      throw AccountError(
        .invalidUserID,
        "A name must have 4 to 30 of a-z, 0-9 and -, and begin with a letter."
      )
    }
    let privateKey = try _RSA.Signing.PrivateKey(
      keySize: .init(bitCount: configuration.signingKeyBits)
    )
    let account = ServiceAccount(
      name: name,
      role: role,
      project: project,
      createdAt: configuration.clock.now() / 1_000_000,
      maker: maker,
      publicKey: privateKey.publicKey
    )
    try engine.write { group in
      guard try Self.load(group).count < Self.maximum else {
        throw AccountError(.tooManyAttempts, "There are already \(Self.maximum) keys.")
      }
      try group.put(account.key, account.encoded())
    } settled: { outcome in
      if case .success = outcome { keys.withLock { $0[account.keyID] = account } }
    }
    return (account, file(of: account, privateKey, origin))
  }

  /// Keeps a key that the server holds, and returns it; of an account that has one that one, and nil where the account is gone.
  func keep(_ made: ServiceAccount) throws -> ServiceAccount? {
    try engine.write { group -> ServiceAccount? in
      let others = try Self.load(group).values.filter { $0.email == made.email }
      guard !others.isEmpty else { return nil }
      if let held = others.first(where: \.isHeld) { return held }
      try group.put(made.key, made.encoded())
      return made
    } settled: { outcome in
      if case .success(let kept?) = outcome { keys.withLock { $0[kept.keyID] = kept } }
    }
  }

  /// Reads the keys again.
  func read(_ reader: any KeyValueReader) throws {
    let stored = try Self.load(reader)
    keys.withLock { $0 = stored }
  }

  /// Takes keys back: the one with that id, or all of the account with that e-mail or name.
  ///
  /// The key that the server holds for the account goes with any other: nothing that its holder had signed is valid any more.
  package func revoke(_ which: String) throws -> [ServiceAccount] {
    try engine.write { group in
      let all = try Self.load(group).values
      let named = all.filter { $0.keyID == which || $0.email == which || $0.name == which }
      let emails = Set(named.map { Text($0.email) })
      let gone = all.filter { key in
        named.contains { $0.keyID == key.keyID } || key.isHeld && emails.contains(Text(key.email))
      }
      for account in gone { try group.delete(account.key) }
      return gone
    } settled: { outcome in
      guard case .success(let gone) = outcome else { return }
      keys.withLock { keys in for account in gone { keys[account.keyID] = nil } }
    }
  }

  /// The key of that id.
  func key(_ id: String) -> ServiceAccount? { keys.withLock { $0[id] } }

  /// Returns true if the account of that e-mail has a key, and so is a service account.
  package func hasKey(of email: String) -> Bool { !keys(of: email).isEmpty }

  /// True where the account of that e-mail has a key and is of that project.
  package func hasKey(of email: String, in project: Text) -> Bool {
    keys(of: email).contains { $0.project == project }
  }

  /// Returns true if that e-mail has a key of that id that was not taken back.
  package func hasKey(_ keyID: String, of email: String) -> Bool {
    keys.withLock { $0[keyID].map { Text($0.email) == Text(email) } ?? false }
  }

  /// All keys of that e-mail.
  func keys(of email: String) -> [ServiceAccount] {
    keys.withLock { $0.values.filter { Text($0.email) == Text(email) } }
  }

  /// The file that Google's clients take.
  private func file(
    of account: ServiceAccount,
    _ key: _RSA.Signing.PrivateKey,
    _ origin: String
  ) -> String {
    let clientID = configuration.random.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let members: [(String, String)] = [
      ("type", "service_account"),
      ("project_id", account.project.string),
      ("private_key_id", account.keyID),
      ("private_key", key.pkcs8PEMRepresentation),
      ("client_email", account.email),
      (
        "client_id",
        "1" + String(repeating: "0", count: max(0, 20 - "\(clientID)".count)) + "\(clientID)"
      ),
      ("auth_uri", origin + "/o/oauth2/auth"),
      ("token_uri", origin + "/token"),
      ("auth_provider_x509_cert_url", origin + "/oauth2/v1/certs"),
      ("client_x509_cert_url", origin + "/robot/v1/metadata/x509/" + account.email),
      ("universe_domain", "googleapis.com"),
    ]
    return JSONValue.object(members.map { .init($0.0, .string($0.1)) }).printed() + "\n"
  }

  private static func isName(_ name: String) -> Bool {
    guard 4...30 ~= name.utf8.count, let first = name.utf8.first else { return false }
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    return letters ~= first
      && name.utf8.allSatisfy { letters ~= $0 || digits ~= $0 || $0 == UInt8(ascii: "-") }
  }

  private static func load(_ reader: any KeyValueReader) throws -> [String: ServiceAccount] {
    var keys: [String: ServiceAccount] = [:]
    let range = KeyRange(prefix: AccountKey.prefix(.serviceAccount))
    let cursor = try reader.cursor(over: range, reversed: false)
    while try cursor.next() {
      let account = try ServiceAccount(record: Array(cursor.value))
      keys[account.keyID] = account
    }
    return keys
  }
}
