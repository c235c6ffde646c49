import Gateway
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the certificate files again at each SIGHUP; files that do not fit leave the old in use.
struct CertificateReloader: Service {
  let gateway: Gateway
  let logger: Logger

  func run() async throws {
    for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
      do {
        try gateway.reloadCertificates()
        logger.notice("certificates reloaded")
      } catch {
        logger.error("certificates not reloaded", metadata: ["error": "\(error)"])
      }
    }
  }
}
