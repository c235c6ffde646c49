import NIOCore
import NIOSSL
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The server's certificate and key, read again when asked; a failed reload keeps the old ones.
final class CertificateStore: Sendable {
  private let files: GatewayConfiguration.TLSFiles
  /// The time in which a client must respond that a connection ends.
  private let shutdownTimeout: Duration
  private let current: Mutex<NIOSSLContext>
  /// Distinguishes the files of the current certificate from changed ones.
  private let mark: Mutex<String>
  /// Certificates of single hosts; nil where there is one for all.
  private let hosts: HostCertificates?

  /// Reads the files; throws their faults.
  init(
    _ files: GatewayConfiguration.TLSFiles,
    hosts: HostCertificates? = nil,
    shutdownTimeout: Duration
  ) throws {
    self.files = files
    self.hosts = hosts
    self.shutdownTimeout = shutdownTimeout
    mark = Mutex(files.mark)
    current = Mutex(try Self.load(files, hosts, shutdownTimeout))
  }

  /// The TLS context of the next connection.
  var context: NIOSSLContext { current.withLock { $0 } }

  /// Reads the changed files again, and returns the problems with them.
  ///
  /// Open connections keep their certificates.
  func reloadChanged() throws -> (count: Int, failures: [CertificateFailure]) {
    var (count, failures) = try hosts?.reload() ?? (0, [])
    let now = files.mark
    let isChanged = mark.withLock { known in
      defer { known = now }
      return known != now
    }
    guard isChanged else { return (count, failures) }
    do {
      let context = try Self.load(files, hosts, shutdownTimeout)
      current.withLock { $0 = context }
      count += 1
    } catch let failure as CertificateFailure {
      failures.append(failure)
    }
    return (count, failures)
  }

  /// Reads the files again; open connections keep what they have.
  func reload() throws {
    let failures = try hosts?.reload().failures ?? []
    let context = try Self.load(files, hosts, shutdownTimeout)
    current.withLock { $0 = context }
    if let failure = failures.first { throw failure }
  }

  private static func load(
    _ files: GatewayConfiguration.TLSFiles,
    _ hosts: HostCertificates?,
    _ shutdownTimeout: Duration
  ) throws -> NIOSSLContext {
    var configuration = try files.read()
    if let hosts {
      configuration.sslContextCallback = { hello, promise in
        var change = NIOSSLContextConfigurationOverride()
        if let entry = hello.serverHostname.flatMap({ hosts.entry(for: $0) }) {
          change.certificateChain = entry.chain
          change.privateKey = entry.key
        }
        promise.succeed(change)
      }
    }
    configuration.applicationProtocols = ["h2", "http/1.1"]
    configuration.minimumTLSVersion = .tlsv12
    configuration.shutdownTimeout = TimeAmount(shutdownTimeout)
    return try NIOSSLContext(configuration: configuration)
  }
}

extension GatewayConfiguration.TLSFiles {
  /// Reads the files as a server would use them; throws a `CertificateFailure`.
  package func check() throws { _ = try read() }

  func read() throws -> TLSConfiguration {
    let certificates = try read("certificate", certificate) {
      try NIOSSLCertificate.fromPEMBytes($0)
    }
    guard !certificates.isEmpty else { throw CertificateFailure.notPEM("certificate", certificate) }
    let privateKey = try read("private key", key) {
      try NIOSSLPrivateKey(bytes: $0, format: .pem)
    }
    let configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: certificates.map { .certificate($0) },
      privateKey: .privateKey(privateKey)
    )
    do {
      _ = try NIOSSLContext(configuration: configuration)
    } catch {
      throw CertificateFailure("The key \(key) doesn't belong to the certificate \(certificate).")
    }
    return configuration
  }

  private func read<R>(_ kind: String, _ path: String, _ parse: ([UInt8]) throws -> R) throws -> R {
    let bytes = try PEMFile.bytes(at: path, kind)
    do {
      return try parse(bytes)
    } catch {
      throw CertificateFailure.notPEM(kind, path)
    }
  }
}

/// A certificate or key that the server cannot use: a sentence that names the file.
package struct CertificateFailure: Error, CustomStringConvertible {
  /// The sentence, with the file's path and the reason.
  package let description: String

  init(_ description: String) { self.description = description }

  static func notPEM(_ kind: String, _ path: String) -> CertificateFailure {
    CertificateFailure("\(path) contains no \(kind) in PEM format.")
  }
}

/// The bytes of a file with a certificate or a key.
private enum PEMFile {
  /// More than any chain of certificates has.
  private static let limit = 1 << 20

  static func bytes(at path: String, _ kind: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { throw failure(kind, path) }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    let count = fread(&bytes, 1, limit + 1, file)
    guard ferror(file) == 0 else { throw failure(kind, path) }
    guard count <= limit else {
      throw CertificateFailure(
        "The \(kind) \(path) is larger than 1 MiB. Use a file that contains only this server's chain."
      )
    }
    return Array(bytes.prefix(count))
  }

  private static func failure(_ kind: String, _ path: String) -> CertificateFailure {
    CertificateFailure("Can't read the \(kind) \(path): \(String(cString: strerror(errno))).")
  }
}
