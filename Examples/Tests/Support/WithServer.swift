import Foundation
import Hummingbird
import Logging
import ServiceHost
import ServiceLifecycle

/// Serves a router on a free loopback port for the length of `body`.
package func withServer<Value: Sendable>(
  _ router: Router<BasicRequestContext>,
  port: Int = 0,
  services: [any Service] = [],
  _ body: @Sendable (URL) async throws -> Value
) async throws -> Value {
  let (addresses, ready) = AsyncStream<URL>.makeStream()
  let server = LocalServer(router, port: port, services: services)
  var logger = Logger(label: "test")
  logger.logLevel = .critical
  let servers = ServiceGroup(services: [server.service { ready.yield($0) }], logger: logger)
  return try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask {
      defer { ready.finish() }
      try await servers.run()
    }
    guard let address = await addresses.first(where: { _ in true }) else {
      try await group.waitForAll()
      throw ServerDidNotStart()
    }
    let result: Swift.Result<Value, any Error>
    do { result = .success(try await body(address)) } catch { result = .failure(error) }
    await servers.triggerGracefulShutdown()
    try await group.waitForAll()
    return try result.get()
  }
}

package struct ServerDidNotStart: Error {}
