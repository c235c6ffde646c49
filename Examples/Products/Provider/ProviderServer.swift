import Foundation
import Hummingbird
import HummingbirdTLS
import Logging
import ServiceHost
import ServiceLifecycle
import Synchronization

/// The provider's two parts on two ports of the loopback address, for as long as the service runs.
package struct ProviderServer: Service {
  private let provider: ProductsProvider
  private let tls: TLSConfiguration
  private let port: Int
  private let onReady: @Sendable (String) async -> Void

  /// - Parameters:
  ///   - certificates: A folder with `server.pem` and `server-key.pem`, as `brasa certs` makes them.
  ///   - port: Where servers ask it; 0 lets the kernel choose.
  ///   - onReady: Called with the issuer once both parts take connections.
  package init(
    _ provider: ProductsProvider,
    certificates: URL,
    port: Int = 0,
    onReady: @escaping @Sendable (String) async -> Void
  ) throws {
    self.provider = provider
    self.port = port
    self.onReady = onReady
    let chain = try NIOSSLCertificate.fromPEMFile(certificates.appending(path: "server.pem").path)
    let key = try NIOSSLPrivateKey(
      file: certificates.appending(path: "server-key.pem").path,
      format: .pem
    )
    tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) },
      privateKey: .privateKey(key)
    )
  }

  package func run() async throws {
    let (ports, found) = AsyncStream.makeStream(of: (isPage: Bool, port: Int).self)
    var logger = Logger(label: "provider")
    logger.logLevel = .error
    let page = Application(
      responder: provider.pageRouter().buildResponder(),
      configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { found.yield((true, $0.localAddress?.port ?? 0)) },
      logger: logger
    )
    let back = Application(
      responder: provider.backRouter().buildResponder(),
      server: try .tls(.http1(), tlsConfiguration: tls),
      configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { found.yield((false, $0.localAddress?.port ?? 0)) },
      logger: logger
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await page.run() }
      group.addTask { try await back.run() }
      var addresses: [Bool: Int] = [:]
      for await (isPage, port) in ports {
        addresses[isPage] = port
        guard let page = addresses[true], let back = addresses[false] else { continue }
        let issuer = "https://localhost:\(back)"
        provider.listens(issuer: issuer, page: "http://127.0.0.1:\(page)")
        await onReady(issuer)
        break
      }
      try await group.waitForAll()
    }
  }

  /// Runs until the process gets SIGINT or SIGTERM.
  package func runCommand() async throws {
    var logger = Logger(label: "provider")
    logger.logLevel = .error
    let group = ServiceGroup(
      services: [self],
      gracefulShutdownSignals: [.sigterm, .sigint],
      logger: logger
    )
    try await group.run()
  }
}
