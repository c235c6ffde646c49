import BaseText
import CryptoExtras
import KeyValueStore

// A service account's key is kept under its e-mail and key id, in the form of RecordWriter.swift: 1
// name, 2 role, 3 project, 4 public key (SubjectPublicKeyInfo, DER), 5 created at (s), 6 end (s;
// absent is never), 7 maker, 20 private key (PKCS #8, DER), of a key that the server holds alone.
// Every other private key is only in the file of its creator.

/// A key of a back end's account.
package struct ServiceAccount: Sendable {
  /// The part of the email address before the `@`.
  package let name: String
  /// The account's address, `{name}@{project}.iam.brasa`, by which tokens and key files name it.
  package let email: String
  /// The rights of requests that the account signs.
  package let role: Role
  /// The project of the file: where clients go by default, and the only one for which the account's
  /// custom tokens sign users in.
  ///
  /// As an administrator the account reaches every project.
  package let project: Text
  /// The key's id, the `kid` of tokens that it signs.
  package let keyID: String
  /// Seconds since 1970.
  package let createdAt: Int64
  /// The account that made the key, as people know it: an email address, or `command line`; empty where that is not known.
  package let maker: String
  let publicKey: _RSA.Signing.PublicKey
  /// The private key, of a key that the server holds: it signs what administrators send to `signBlob`, and opens nothing
  /// itself.
  let heldKey: _RSA.Signing.PrivateKey?

  /// True where the server holds the private key, instead of a file.
  package var isHeld: Bool { heldKey != nil }

  /// The rights of an account.
  package enum Role: String, Sendable, CaseIterable {
    /// Everything: rules do not apply.
    case admin
  }

  init(
    name: String,
    role: Role,
    project: Text,
    createdAt: Int64,
    maker: String = "",
    publicKey: _RSA.Signing.PublicKey,
    heldKey: _RSA.Signing.PrivateKey? = nil
  ) {
    self.maker = maker
    self.name = name
    self.role = role
    self.project = project
    self.createdAt = createdAt
    self.publicKey = publicKey
    self.heldKey = heldKey
    email = Self.email(name, project)
    keyID = SigningKey.id(of: publicKey)
  }

  static func email(_ name: String, _ project: Text) -> String {
    "\(name)@\(project).iam.brasa"
  }

  var key: [UInt8] { AccountKey.prefix(.serviceAccount, Text(email), Text(keyID)) }

  func encoded() -> [UInt8] {
    var writer = RecordWriter()
    writer.put(1, name)
    writer.put(2, role.rawValue)
    writer.put(3, project)
    writer.put(4, bytes: Array(publicKey.derRepresentation))
    writer.put(5, createdAt)
    if let heldKey { writer.put(20, bytes: Array(heldKey.pkcs8DERRepresentation)) }
    writer.put(7, maker)
    return writer.bytes
  }

  init(record: [UInt8]) throws {
    var reader = try RecordReader(record)
    var texts: [UInt8: String] = [:]
    var createdAt: Int64 = 0
    var key: [UInt8] = []
    var heldKey: [UInt8]?
    while let field = try reader.next() {
      switch field.tag {
      case 1...3, 7: texts[field.tag] = try field.string()
      case 4: key = field.raw
      case 5: createdAt = try field.number()
      case 20: heldKey = field.raw
      default: break
      }
    }
    guard let role = texts[2].flatMap(Role.init) else {
      throw RecordReader.corrupt("an unknown role of a service account")
    }
    self.init(
      name: texts[1] ?? "",
      role: role,
      project: Text(texts[3] ?? ""),
      createdAt: createdAt,
      maker: texts[7] ?? "",
      publicKey: try _RSA.Signing.PublicKey(derRepresentation: key),
      heldKey: try heldKey.map { try _RSA.Signing.PrivateKey(derRepresentation: $0) }
    )
  }
}
