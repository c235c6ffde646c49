import Authentication
import BaseText

/// The algorithm by which an import's passwords are hashed.
struct ImportedHash: Sendable {
  private let algorithm: PasswordAlgorithm

  /// Reads `hashAlgorithm` and its parameters; throws for an unsupported one, by name.
  init?(_ message: IdentityMessage) throws {
    guard let name = message.text("hashAlgorithm") else { return nil }
    func number(_ field: String) -> Int { Int(clamping: message.integer(field) ?? 0) }
    func bytes(_ field: String) throws -> [UInt8] { try Self.bytes(message.text(field), field) }
    let order = try Self.order(message.text("passwordHashOrder"), name)
    switch name {
    case "HMAC_SHA512": algorithm = .hmac(.sha512, key: try bytes("signerKey"), order: order)
    case "HMAC_SHA256": algorithm = .hmac(.sha256, key: try bytes("signerKey"), order: order)
    case "HMAC_SHA1": algorithm = .hmac(.sha1, key: try bytes("signerKey"), order: order)
    case "HMAC_MD5": algorithm = .hmac(.md5, key: try bytes("signerKey"), order: order)
    case "MD5": algorithm = .digest(.md5, rounds: number("rounds"), order: order)
    case "SHA1": algorithm = .digest(.sha1, rounds: number("rounds"), order: order)
    case "SHA256": algorithm = .digest(.sha256, rounds: number("rounds"), order: order)
    case "SHA512": algorithm = .digest(.sha512, rounds: number("rounds"), order: order)
    case "PBKDF_SHA1": algorithm = .pbkdf2(.sha1, rounds: number("rounds"))
    case "PBKDF2_SHA256": algorithm = .pbkdf2(.sha256, rounds: number("rounds"))
    case "BCRYPT": algorithm = .bcrypt
    case "SCRYPT":
      algorithm = .firebaseScrypt(
        FirebaseScrypt(
          signerKey: try bytes("signerKey"),
          saltSeparator: try bytes("saltSeparator"),
          rounds: number("rounds"),
          memoryCost: number("memoryCost")
        )
      )
    case "STANDARD_SCRYPT":
      algorithm = .scrypt(
        cost: number("cpuMemCost"),
        blockSize: number("blockSize"),
        parallelization: number("parallelization"),
        length: number("dkLen")
      )
    default:
      throw AccountError(.invalidHash, "The algorithm \(name.prefix(40)) is not supported.")
    }
    try algorithm.checkBounds()
  }

  /// The order that is named, or Google's: a keyed hash has the password first, another one the salt.
  private static func order(
    _ named: String?,
    _ algorithm: String
  ) throws -> PasswordAlgorithm.InputOrder {
    switch named {
    case "SALT_AND_PASSWORD", "1": return .saltFirst
    case "PASSWORD_AND_SALT", "2": return .passwordFirst
    case nil, "UNSPECIFIED_ORDER", "0":
      return algorithm.hasPrefix("HMAC_") ? .passwordFirst : .saltFirst
    case let other?:
      throw AccountError(.invalidHash, "The passwordHashOrder \(other.prefix(40)) is unknown.")
    }
  }

  /// The password's hash with its salt, as one account of the import has them.
  func password(hash: String, salt: String?) throws -> PasswordHash {
    PasswordHash(
      algorithm: algorithm,
      salt: try Self.bytes(salt, "salt"),
      hash: digest(try Self.bytes(hash, "passwordHash"))
    )
  }

  /// The bytes of a digest that came as hexadecimal text, and other hashes as they are.
  private func digest(_ hash: [UInt8]) -> [UInt8] {
    switch algorithm {
    case .digest(let digest, _, _), .hmac(let digest, _, _):
      guard hash.count == 2 * digest.length else { return hash }
      let digits = hash.compactMap(Hexadecimal.digit)
      guard digits.count == hash.count else { return hash }
      return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    case .own, .firebaseScrypt, .scrypt, .bcrypt, .pbkdf2: return hash
    }
  }

  private static func bytes(_ text: String?, _ field: String) throws -> [UInt8] {
    guard let text else { return [] }
    guard let bytes = Base64.decode(text) else {
      throw IdentityFailure.invalid(
        "Invalid value at '\(field)' (TYPE_BYTES), Base64 decoding failed"
      )
    }
    return bytes
  }
}
