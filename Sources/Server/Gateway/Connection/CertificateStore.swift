import NIOCore
import NIOSSL
import Synchronization

/// The server's certificate and key, read again when asked; a failed reload keeps the old ones.
final class CertificateStore: Sendable {
  private let files: GatewayConfiguration.TLSFiles
  /// How long a client gets to answer that a connection ends.
  private let patience: Duration
  private let current: Mutex<NIOSSLContext>

  /// Reads the files; throws what is wrong with them.
  init(_ files: GatewayConfiguration.TLSFiles, patience: Duration) throws {
    self.files = files
    self.patience = patience
    current = Mutex(try Self.load(files, patience))
  }

  /// What the next connection uses.
  var context: NIOSSLContext { current.withLock { $0 } }

  /// Reads the files again; open connections keep what they have.
  func reload() throws {
    let context = try Self.load(files, patience)
    current.withLock { $0 = context }
  }

  private static func load(
    _ files: GatewayConfiguration.TLSFiles,
    _ patience: Duration
  ) throws -> NIOSSLContext {
    let chain = try NIOSSLCertificate.fromPEMFile(files.certificate)
    let key = try NIOSSLPrivateKey(file: files.key, format: .pem)
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) },
      privateKey: .privateKey(key)
    )
    configuration.applicationProtocols = ["h2", "http/1.1"]
    configuration.minimumTLSVersion = .tlsv12
    configuration.shutdownTimeout = TimeAmount(patience)
    return try NIOSSLContext(configuration: configuration)
  }
}
