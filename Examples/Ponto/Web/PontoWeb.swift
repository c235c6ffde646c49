import Foundation
import LivePage
import PontoCore

/// The time clock's pages, for a service that lives at `service`.
package enum PontoWeb {
  /// - Parameter pin: The PIN that stands for the owner's finger when a receipt is deleted.
  @MainActor
  package static func host(service: URL, folder: URL, pin: String) async throws -> LiveHost {
    try await LiveHost(
      title: "Alura Ponto",
      language: "pt-BR",
      pages: Bundle.module.bundleURL.appending(path: "Pages"),
      folder: folder
    ) { device in
      let authenticator = PINAuthenticator(pin: pin)
      let environment = try PontoEnvironment.live(
        address: service,
        folder: device.folder,
        authenticator: authenticator
      )
      return PontoPage(app: PontoViewModel(environment), authenticator: authenticator)
    }
  }
}
