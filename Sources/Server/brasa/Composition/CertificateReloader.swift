import Gateway
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the certificate files again at each SIGHUP, and those that have changed every two seconds; files that do not fit leave the old
/// in use.
struct CertificateReloader: Service {
  let gateway: Gateway
  let logger: Logger

  func run() async throws {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await cancelWhenGracefulShutdown { await watch() } }
      await reloadAtSignals()
      group.cancelAll()
    }
  }

  /// Looks for changed files until the task is cancelled.
  private func watch() async {
    while true {
      do { try await Task.sleep(for: .seconds(2)) } catch { return }
      do {
        let (count, failures) = try gateway.reloadChangedCertificates()
        if count > 0 {
          logger.notice("changed certificates were loaded", metadata: ["count": "\(count)"])
        }
        for failure in failures {
          logger.error(
            "a certificate could not be loaded; any earlier one stays in use",
            metadata: ["error": "\(failure)"]
          )
        }
      } catch {
        logger.error("certificates can't be watched for changes", metadata: ["error": "\(error)"])
      }
    }
  }

  private func reloadAtSignals() async {
    for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
      do {
        try gateway.reloadCertificates()
        logger.notice("certificates were reloaded")
      } catch {
        logger.error(
          "certificates could not be reloaded; the previous ones stay in use",
          metadata: ["error": "\(error)"]
        )
      }
    }
  }
}
