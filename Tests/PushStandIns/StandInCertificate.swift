import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A self-signed certificate for `localhost` and `push.test`, and the file of it for those who are to trust it.
package struct StandInCertificate: Sendable {
  /// A name that only a test's own resolver knows.
  package static let otherName = "push.test"

  /// The PEM file of the certificate.
  package let file: String
  private let certificate: NIOSSLCertificate
  private let key: NIOSSLPrivateKey

  /// Makes a certificate and writes its file into `directory`.
  package init(in directory: URL = FileManager.default.temporaryDirectory) throws {
    let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let number = UInt64.random(in: 0...UInt64.max)
    // Who trusts several finds each by its name.
    let name = try DistinguishedName { CommonName("localhost \(number)") }
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
        SubjectAlternativeNames([.dnsName("localhost"), .dnsName(Self.otherName)])
      },
      issuerPrivateKey: key
    )
    let text = try certificate.serializeAsPEM().pemString
    let file = directory.appending(path: "push-\(number).pem")
    try Data(text.utf8).write(to: file)
    self.file = file.path
    self.certificate = try NIOSSLCertificate(bytes: Array(text.utf8), format: .pem)
    self.key = try NIOSSLPrivateKey(
      bytes: Array(key.serializeAsPEM().pemString.utf8),
      format: .pem
    )
  }

  /// What a server with this certificate uses.
  func serverContext() throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: [.certificate(certificate)],
      privateKey: .privateKey(key)
    )
    configuration.applicationProtocols = ["h2"]
    return try NIOSSLContext(configuration: configuration)
  }
}
