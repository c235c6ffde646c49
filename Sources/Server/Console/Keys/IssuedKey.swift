import Authentication
import BaseText

/// A key that lets a back end in, of whichever service, as lists of keys show it.
package struct IssuedKey: Sendable, Hashable {
  /// The kinds of key; each raw value is the name that people read.
  package enum Kind: String, Sendable {
    case serviceAccount = "service account"
    /// Signs requests for files in the name of a service account.
    case sharedSecret = "HMAC key"
    /// Sends messages in the legacy form.
    case serverKey = "server key"
  }

  /// The kind of key, which decides the service that takes it back.
  package let kind: Kind
  /// The name by which it is taken back.
  package let id: String
  /// The service account's email; a server key has none.
  package let email: String?
  /// The project that the key belongs to.
  package let project: Text
  /// Milliseconds since 1970.
  package let createdAt: Int64
  /// The account that made it, as people know it; empty where that is not known.
  package let maker: String
  /// False for an HMAC key that is set inactive: it is listed and opens nothing.
  package let isActive: Bool

  /// The maker of keys that commands make.
  package static let commandLine = "command line"

  /// A key of one of the services.
  package init(
    _ kind: Kind,
    id: String,
    email: String? = nil,
    project: Text,
    createdAt: Int64,
    maker: String,
    isActive: Bool = true
  ) {
    self.kind = kind
    self.id = id
    self.email = email
    self.project = project
    self.createdAt = createdAt
    self.maker = maker
    self.isActive = isActive
  }

  /// The key of a service account.
  package init(_ account: ServiceAccount) {
    self.init(
      .serviceAccount,
      id: account.keyID,
      email: account.email,
      project: account.project,
      createdAt: account.createdAt * 1_000,
      maker: account.maker
    )
  }

  /// The key in a few words: `HMAC key GOOG1E… of project shop`.
  package var text: String { "\(kind.rawValue) \(id) of project \(project.string)" }
}

/// The keys of all services.
///
/// A key does not belong to its creator: it continues to work for the back ends that have it. So
/// the removal of an administrator shows the keys that the administrator created. All calls block.
package struct KeyRegister: Sendable {
  /// All keys that were not taken back, kind by kind.
  package let all: @Sendable () throws -> [IssuedKey]
  /// Takes a shared secret back; false where there is none of that id.
  package let revokeSecret: @Sendable (_ id: String) throws -> Bool
  /// Takes a project's server key back; false where there is none of that name.
  package let revokeServerKey: @Sendable (_ name: String, _ project: Text) throws -> Bool

  /// The keys that those give.
  package init(
    all: @escaping @Sendable () throws -> [IssuedKey],
    revokeSecret: @escaping @Sendable (_ id: String) throws -> Bool,
    revokeServerKey: @escaping @Sendable (_ name: String, _ project: Text) throws -> Bool
  ) {
    self.all = all
    self.revokeSecret = revokeSecret
    self.revokeServerKey = revokeServerKey
  }

  /// The keys that an account made, inactive ones too.
  package func all(madeBy maker: String) throws -> [IssuedKey] {
    try all().filter { $0.maker.lowercased() == maker.lowercased() }
  }

  /// The keys that an account made and that work.
  package func made(by maker: String) throws -> [IssuedKey] {
    try all(madeBy: maker).filter(\.isActive)
  }
}

extension Administrators {
  /// True for a key that an administrator made whose account is gone, or a service account that has no key any more.
  package func isMakerGone(_ key: IssuedKey) throws -> Bool {
    guard key.maker.contains("@") else { return false }
    // Service accounts have addresses of their own domain.
    guard key.maker.hasSuffix(".iam.brasa") else { return try !isKnown(key.maker) }
    return !accounts.serviceAccounts.all.contains { $0.email == key.maker }
  }
}
