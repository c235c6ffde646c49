import Foundation
import Hummingbird
import HummingbirdTLS
import Logging
import ServiceHost
import ServiceLifecycle
import Synchronization

/// The provider's two parts on two ports, for as long as the service runs.
///
/// The part that servers call is on the loopback address; the page may be opened to other machines.
package struct ProviderServer: Service {
  /// The listener of the page that people see.
  package struct Page: Sendable {
    let host: String
    let port: Int
    let name: String

    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: 0 lets the kernel choose.
    ///   - name: The host by which browsers reach it.
    package init(host: String = "127.0.0.1", port: Int = 0, name: String = "127.0.0.1") {
      (self.host, self.port, self.name) = (host, port, name)
    }
  }

  private let provider: ProductsProvider
  private let tls: TLSConfiguration
  private let port: Int
  private let page: Page
  private let onReady: @Sendable (String) async -> Void

  /// - Parameters:
  ///   - certificates: A folder with `server.pem` and `server-key.pem`, as `brasa certs` makes them.
  ///   - port: The port on which servers ask it; 0 lets the kernel choose.
  ///   - onReady: Called with the issuer once both parts take connections.
  package init(
    _ provider: ProductsProvider,
    certificates: URL,
    port: Int = 0,
    page: Page = Page(),
    onReady: @escaping @Sendable (String) async -> Void
  ) throws {
    self.provider = provider
    self.port = port
    self.page = page
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
    let front = Application(
      responder: provider.pageRouter().buildResponder(),
      configuration: .init(address: .hostname(page.host, port: page.port)),
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
      group.addTask { try await front.run() }
      group.addTask { try await back.run() }
      var addresses: [Bool: Int] = [:]
      for await (isPage, port) in ports {
        addresses[isPage] = port
        guard let front = addresses[true], let back = addresses[false] else { continue }
        let issuer = "https://localhost:\(back)"
        provider.listens(issuer: issuer, page: "http://\(page.name):\(front)")
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
