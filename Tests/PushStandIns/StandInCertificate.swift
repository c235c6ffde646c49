import CertificateTestSupport
import Foundation
import NIOSSL

/// A self-signed certificate for `localhost` and `push.test`, and the file of it for those who are to trust it.
package struct StandInCertificate: Sendable {
  /// A name that only a test's own resolver knows.
  package static let otherName = "push.test"

  /// The PEM file of the certificate.
  package let file: String
  private let certificate: NIOSSLCertificate
  private let key: NIOSSLPrivateKey

  /// Makes a certificate and writes its file into `directory`; `removeFile` deletes it.
  package init(in directory: URL = FileManager.default.temporaryDirectory) throws {
    let made = try SelfSignedCertificate(names: ["localhost", Self.otherName])
    let file = directory.appending(path: "push-\(UInt64.random(in: 0...UInt64.max)).pem")
    try Data(made.certificate.utf8).write(to: file)
    self.file = file.path
    certificate = try NIOSSLCertificate(bytes: Array(made.certificate.utf8), format: .pem)
    key = try NIOSSLPrivateKey(bytes: Array(made.key.utf8), format: .pem)
  }

  /// Deletes the file; the last call of whoever made it.
  package func removeFile() throws { try FileManager.default.removeItem(atPath: file) }

  /// Returns the TLS context of a server with this certificate.
  func serverContext() throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: [.certificate(certificate)],
      privateKey: .privateKey(key)
    )
    configuration.applicationProtocols = ["h2"]
    return try NIOSSLContext(configuration: configuration)
  }
}
