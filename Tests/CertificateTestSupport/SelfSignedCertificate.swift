import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate of a day that signed itself, with its key: both as texts in PEM.
package struct SelfSignedCertificate: Sendable {
  package let certificate: String
  package let key: String

  /// Makes a certificate for those names.
  ///
  /// Each has another subject, so that who trusts several finds each by its name.
  package init(names: [String]) throws {
    let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let number = UInt64.random(in: 0...UInt64.max)
    let name = try DistinguishedName { CommonName("\(names.first ?? "nobody") \(number)") }
    let certificate = try Certificate(
      version: .v3,
      serialNumber: Certificate.SerialNumber(),
      publicKey: key.publicKey,
      notValidBefore: Date() - 3_600,
      notValidAfter: Date() + 86_400,
      issuer: name,
      subject: name,
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
        SubjectAlternativeNames(names.map { .dnsName($0) })
      },
      issuerPrivateKey: key
    )
    self.certificate = try certificate.serializeAsPEM().pemString
    self.key = try key.serializeAsPEM().pemString
  }
}
