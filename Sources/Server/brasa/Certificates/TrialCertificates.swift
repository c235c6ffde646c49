import Crypto
import Foundation
import SwiftASN1
import X509

/// A small certificate authority in a directory, and the server certificates that it signs.
struct TrialCertificates {
  /// The files of an issued certificate, its key and its authority.
  struct Files {
    let certificate: String
    let key: String
    let authority: String
  }

  private struct Authority {
    let name: DistinguishedName
    let key: Certificate.PrivateKey
  }

  private static let authorityDays = 3_650

  private let directory: URL

  init(directory: String) {
    self.directory = URL(fileURLWithPath: directory, isDirectory: true)
  }

  /// Writes a new server certificate for those names, and an authority if there is none yet.
  func issue(for hosts: [String], days: Int) throws -> Files {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let authority = try existingAuthority() ?? makeAuthority()
    let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let certificate = try Certificate(
      version: .v3,
      serialNumber: Certificate.SerialNumber(),
      publicKey: key.publicKey,
      notValidBefore: Self.start,
      notValidAfter: Self.start + TimeInterval(days * 86_400),
      issuer: authority.name,
      subject: try DistinguishedName { CommonName(hosts[0]) },
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        try ExtendedKeyUsage([.serverAuth])
        SubjectAlternativeNames(try hosts.map(Self.name))
      },
      issuerPrivateKey: authority.key
    )
    try write(certificate.serializeAsPEM().pemString, to: "server.pem", isSecret: false)
    try write(key.serializeAsPEM().pemString, to: "server-key.pem", isSecret: true)
    return Files(
      certificate: path("server.pem"),
      key: path("server-key.pem"),
      authority: path("authority.pem")
    )
  }

  private func existingAuthority() throws -> Authority? {
    guard FileManager.default.fileExists(atPath: path("authority.pem")) else { return nil }
    let certificate = try String(contentsOfFile: path("authority.pem"), encoding: .utf8)
    let key = try String(contentsOfFile: path("authority-key.pem"), encoding: .utf8)
    return Authority(
      name: try Certificate(pemEncoded: certificate).subject,
      key: try Certificate.PrivateKey(pemEncoded: key)
    )
  }

  private func makeAuthority() throws -> Authority {
    let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let name = try DistinguishedName { CommonName("Brasa trial authority") }
    let certificate = try Certificate(
      version: .v3,
      serialNumber: Certificate.SerialNumber(),
      publicKey: key.publicKey,
      notValidBefore: Self.start,
      notValidAfter: Self.start + TimeInterval(Self.authorityDays * 86_400),
      issuer: name,
      subject: name,
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
        Critical(KeyUsage(keyCertSign: true, cRLSign: true))
      },
      issuerPrivateKey: key
    )
    try write(key.serializeAsPEM().pemString, to: "authority-key.pem", isSecret: true)
    try write(certificate.serializeAsPEM().pemString, to: "authority.pem", isSecret: false)
    return Authority(name: name, key: key)
  }

  /// An hour ago, for clients whose clocks are a little behind.
  private static var start: Date { Date() - 3_600 }

  /// An IP address or a DNS name as certificates spell them.
  private static func name(_ host: String) throws -> GeneralName {
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, host, &v4) == 1 {
      let bytes = withUnsafeBytes(of: &v4) { Array($0) }
      return .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
    }
    if inet_pton(AF_INET6, host, &v6) == 1 {
      let bytes = withUnsafeBytes(of: &v6) { Array($0) }
      return .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
    }
    return .dnsName(host)
  }

  /// Writes a file; a secret one is readable by its owner only from its first byte on.
  private func write(_ text: String, to file: String, isSecret: Bool) throws {
    let temporary = path(file + ".new")
    unlink(temporary)
    let mode: mode_t = isSecret ? 0o600 : 0o644
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode)
    guard descriptor >= 0 else { throw CertificateFileError(path: temporary, code: errno) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try handle.write(contentsOf: Data((text + "\n").utf8))
    try handle.close()
    guard rename(temporary, path(file)) == 0 else {
      throw CertificateFileError(path: path(file), code: errno)
    }
  }

  private func path(_ file: String) -> String {
    directory.appendingPathComponent(file).path(percentEncoded: false)
  }
}

/// A certificate file that could not be written.
struct CertificateFileError: Error, CustomStringConvertible {
  let path: String
  let code: Int32

  var description: String { "\(path): \(String(cString: strerror(code)))" }
}
