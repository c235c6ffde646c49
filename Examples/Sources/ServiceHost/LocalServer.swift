import Foundation
import Hummingbird
import Logging
import ServiceLifecycle

/// Serves a router on the loopback address, or on another one of this machine.
///
/// Requests in progress are finished before it stops.
package struct LocalServer: Sendable {
  private let responder: RouterResponder<BasicRequestContext>
  private let host: String
  private let port: Int
  private let services: [any Service]

  /// - Parameters:
  ///   - host: The address to listen on; `0.0.0.0` is every one of this machine.
  ///   - port: 0 lets the kernel choose a free one.
  ///   - services: The services that run beside the server.
  package init(
    _ router: Router<BasicRequestContext>,
    host: String = "127.0.0.1",
    port: Int = 0,
    services: [any Service] = []
  ) {
    responder = router.buildResponder()
    self.host = host
    self.port = port
    self.services = services
  }

  /// The server as a service of a group, which decides when it stops.
  ///
  /// - Parameter onReady: Called with an address that reaches it from this machine, as soon as connections are
  ///   accepted.
  package func service(onReady: @escaping @Sendable (URL) async -> Void) -> some Service {
    var logger = Logger(label: "examples")
    logger.logLevel = .error
    return Application(
      responder: responder,
      configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
      services: services,
      onServerRunning: { [host] channel in
        let name = host == "0.0.0.0" ? "127.0.0.1" : host
        guard let port = channel.localAddress?.port,
          let url = URL(string: "http://\(name):\(port)")
        else { return }
        await onReady(url)
      },
      logger: logger
    )
  }

  /// Runs until the process gets SIGINT or SIGTERM.
  package func run(onReady: @escaping @Sendable (URL) async -> Void) async throws {
    var logger = Logger(label: "examples")
    logger.logLevel = .error
    let group = ServiceGroup(
      services: [service(onReady: onReady)],
      gracefulShutdownSignals: [.sigterm, .sigint],
      logger: logger
    )
    try await group.run()
  }
}
