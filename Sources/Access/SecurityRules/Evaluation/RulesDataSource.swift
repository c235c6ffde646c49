import FirestoreModel

/// The documents that `get()` and its kin read, as an administrator would read them.
///
/// All readings of a request see one snapshot. Reading may throw where the store fails: then the
/// evaluation throws as well, and nothing is decided.
package protocol RulesDataSource {
  /// The document before the request; nil where there is none.
  func document(at path: ResourcePath) throws -> RulesDocument?
  /// The document after the whole commit; the same as before for reads.
  func documentAfter(at path: ResourcePath) throws -> RulesDocument?
}

/// Digests that the program's cryptographic library computes.
package protocol RulesDigests: Sendable {
  /// 16 bytes.
  func md5(_ bytes: [UInt8]) -> [UInt8]
  /// 32 bytes.
  func sha256(_ bytes: [UInt8]) -> [UInt8]
}

/// The checksums of `hashing`, from their reversed polynomials.
enum Checksum: UInt32 {
  case crc32 = 0xEDB8_8320
  case crc32c = 0x82F6_3B78

  /// The checksum, lowest byte first.
  func bytes(of content: [UInt8]) -> [UInt8] {
    let table = self == .crc32 ? Self.table32 : Self.table32C
    var register = UInt32.max
    for byte in content {
      register = table[Int(UInt8(truncatingIfNeeded: register) ^ byte)] ^ (register >> 8)
    }
    let value = ~register
    return (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static let table32 = Checksum.crc32.table
  private static let table32C = Checksum.crc32c.table

  /// The register's value after each byte, from an empty register.
  private var table: [UInt32] {
    (UInt32(0)..<256).map { byte in
      (0..<8).reduce(byte) { register, _ in
        register & 1 == 1 ? (register >> 1) ^ rawValue : register >> 1
      }
    }
  }
}
