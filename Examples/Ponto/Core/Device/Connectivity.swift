import Foundation
import RESTClient

/// Tells when it is worth trying to send what waits.
package protocol Connectivity: Sendable {
  /// An element whenever the server has been found reachable; ends when the task is cancelled.
  func opportunities() -> AsyncStream<Void>
}

/// Asks the server itself at a fixed pace, where no system service tells of the network.
package struct ProbingConnectivity: Connectivity {
  private let client: HTTPClient
  private let interval: Duration
  private let clock: any Clock<Duration>

  package init(
    address: URL,
    transport: any Transport = URLSessionTransport.shared,
    interval: Duration = .seconds(2),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    client = HTTPClient(baseURL: address, transport: transport, timeout: .seconds(2))
    self.interval = interval
    self.clock = clock
  }

  package func opportunities() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { events in
      let probing = Task {
        while !Task.isCancelled {
          if await isReachable() { events.yield() }
          try? await clock.sleep(for: interval)
        }
        events.finish()
      }
      events.onTermination = { _ in probing.cancel() }
    }
  }

  private func isReachable() async -> Bool {
    do {
      try await client.send(Endpoint<Void>(.get))
      return true
    } catch {
      return false
    }
  }
}
