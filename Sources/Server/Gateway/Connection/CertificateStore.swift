import NIOCore
import NIOSSL
import Synchronization

/// The server's certificate and key, read again when asked; a failed reload keeps the old ones.
final class CertificateStore: Sendable {
  private let files: GatewayConfiguration.TLSFiles
  /// How long a client gets to answer that a connection ends.
  private let shutdownTimeout: Duration
  private let current: Mutex<NIOSSLContext>

  /// Reads the files; throws what is wrong with them.
  init(_ files: GatewayConfiguration.TLSFiles, shutdownTimeout: Duration) throws {
    self.files = files
    self.shutdownTimeout = shutdownTimeout
    current = Mutex(try Self.load(files, shutdownTimeout))
  }

  /// What the next connection uses.
  var context: NIOSSLContext { current.withLock { $0 } }

  /// Reads the files again; open connections keep what they have.
  func reload() throws {
    let context = try Self.load(files, shutdownTimeout)
    current.withLock { $0 = context }
  }

  private static func load(
    _ files: GatewayConfiguration.TLSFiles,
    _ shutdownTimeout: Duration
  ) throws -> NIOSSLContext {
    let chain = try NIOSSLCertificate.fromPEMFile(files.certificate)
    let key = try NIOSSLPrivateKey(file: files.key, format: .pem)
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) },
      privateKey: .privateKey(key)
    )
    configuration.applicationProtocols = ["h2", "http/1.1"]
    configuration.minimumTLSVersion = .tlsv12
    configuration.shutdownTimeout = TimeAmount(shutdownTimeout)
    return try NIOSSLContext(configuration: configuration)
  }
}
