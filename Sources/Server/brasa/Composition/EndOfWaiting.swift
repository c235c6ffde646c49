import ServiceLifecycle

/// Ends all waiting for a database server that is away once the port is closed, so that what else stops does not wait for it.
///
/// It stops right after the port: later failures are not reported.
struct EndOfWaiting: Service {
  let directory: OpenDataDirectory

  func run() async throws {
    try? await gracefulShutdown()
    directory.stopWaiting()
  }
}
