import Foundation
import LivePage
import RESTClient
import SalesCore

/// The sales provider's pages, for a service that lives at `service`.
package enum SalesWeb {
  @MainActor
  package static func host(service: URL, folder: URL) async throws -> LiveHost {
    try await LiveHost(
      title: "Products",
      language: "en",
      pages: Bundle.module.bundleURL.appending(path: "Pages"),
      folder: folder
    ) { device in
      let store = ProtectedFile(device.folder.appending(path: "session.json"))
      return SalesPage(app: SalesViewModel(address: service, store: store))
    }
  }
}
