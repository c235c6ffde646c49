import CertificateTestSupport
import Foundation
import Gateway
import NIOSSL

/// A self-signed certificate for `localhost` in a directory of its own.
struct TestCertificate {
  let files: GatewayConfiguration.TLSFiles
  private(set) var authority: NIOSSLCertificate

  /// Makes the first certificate.
  init() throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "gateway-tests-\(UInt64.random(in: 0...UInt64.max))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    files = GatewayConfiguration.TLSFiles(
      certificate: directory.appending(path: "certificate.pem").path,
      key: directory.appending(path: "key.pem").path
    )
    authority = try Self.write(files)
  }

  /// Replaces the files by a new certificate.
  mutating func renew() throws {
    authority = try Self.write(files)
  }

  /// Replaces the certificate by something that is none.
  func spoil() throws {
    try Data("spoilt".utf8).write(to: URL(filePath: files.certificate))
  }

  /// Returns the TLS context of a client that trusts this certificate alone.
  func clientContext(protocols: [String]) throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = .certificates([authority])
    configuration.applicationProtocols = protocols
    return try NIOSSLContext(configuration: configuration)
  }

  private static func write(_ files: GatewayConfiguration.TLSFiles) throws -> NIOSSLCertificate {
    let made = try SelfSignedCertificate(names: ["localhost"])
    try Data(made.certificate.utf8).write(to: URL(filePath: files.certificate))
    try Data(made.key.utf8).write(to: URL(filePath: files.key))
    return try NIOSSLCertificate(bytes: Array(made.certificate.utf8), format: .pem)
  }
}
