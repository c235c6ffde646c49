import BaseJSON
import BaseText
import Crypto
import CryptoExtras
import Foundation
import KeyValueStore
import SwiftASN1
import X509

/// One key that signs tokens.
///
/// Its record, in the form of RecordWriter.swift: 1 created at (s), 2 private key as PKCS #8 DER,
/// 3 certificate as PEM.
struct SigningKey: Sendable {
  let id: String
  /// Seconds since 1970.
  let createdAt: Int64
  let privateKey: _RSA.Signing.PrivateKey
  let publicKey: _RSA.Signing.PublicKey
  /// Self-signed, for readers that want X.509.
  let certificate: String

  /// Makes a key.
  init(bits: Int, createdAt: Int64, lifetime: Int64) throws {
    privateKey = try _RSA.Signing.PrivateKey(keySize: .init(bitCount: bits))
    publicKey = privateKey.publicKey
    self.createdAt = createdAt
    id = Self.id(of: publicKey)
    certificate = try Self.certificate(privateKey, from: createdAt, lifetime: lifetime)
  }

  init(id: String, record: [UInt8]) throws {
    var reader = try RecordReader(record)
    var createdAt: Int64 = 0
    var key: [UInt8] = []
    var certificate = ""
    while let field = try reader.next() {
      switch field.tag {
      case 1: createdAt = try field.number()
      case 2: key = field.raw
      case 3: certificate = try field.string()
      default: break
      }
    }
    self.id = id
    self.createdAt = createdAt
    self.certificate = certificate
    privateKey = try _RSA.Signing.PrivateKey(derRepresentation: key)
    publicKey = privateKey.publicKey
  }

  func encoded() -> [UInt8] {
    var writer = RecordWriter()
    writer.put(1, createdAt)
    writer.put(2, bytes: Array(privateKey.pkcs8DERRepresentation))
    writer.put(3, certificate)
    return writer.bytes
  }

  /// The key as a member of a JWKS document.
  func webKey() throws -> JSONValue {
    let primitives = try publicKey.getKeyPrimitives()
    return .object([
      .init("kty", .string("RSA")), .init("use", .string("sig")), .init("alg", .string("RS256")),
      .init("kid", .string(id)), .init("n", .string(Base64.url(primitives.modulus))),
      .init("e", .string(Base64.url(primitives.publicExponent))),
    ])
  }

  /// The first 20 bytes of the SHA-256 digest of the public key, as hexadecimal.
  static func id(of key: _RSA.Signing.PublicKey) -> String {
    Hexadecimal.text(SHA256.hash(data: key.derRepresentation).prefix(20))
  }

  /// A self-signed certificate for a key; some readers take public keys in no other form.
  static func certificate(
    _ key: _RSA.Signing.PrivateKey,
    from time: Int64,
    lifetime: Int64
  ) throws -> String {
    let name = try DistinguishedName { CommonName("Brasa token signer") }
    let issuer = Certificate.PrivateKey(key)
    return try Certificate(
      version: .v3,
      serialNumber: Certificate.SerialNumber(),
      publicKey: issuer.publicKey,
      notValidBefore: Date(timeIntervalSince1970: Double(time - 3_600)),
      notValidAfter: Date(timeIntervalSince1970: Double(time + lifetime)),
      issuer: name,
      subject: name,
      signatureAlgorithm: .sha256WithRSAEncryption,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
      },
      issuerPrivateKey: issuer
    ).serializeAsPEM().pemString
  }
}
