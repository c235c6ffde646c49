import FirebaseCore
import FirebasePages
import Foundation
import LivePage
import OrderStatusCore
import RESTClient

/// The order status's pages, for a sales provider at `service` that sends through the Brasa at `messages`.
package enum OrderStatusWeb {
  /// The project that the pages use unless told otherwise.
  package static let project = "order-status"

  /// - Parameter folder: The folder in which each browser's app keeps its state.
  @MainActor
  package static func host(
    service: URL,
    messages: URL,
    project: String = project,
    folder: URL
  ) async throws -> LiveHost {
    let brasa = BrasaProject(project, at: messages, appID: "1:42:linux:0bde5")
    return try await LiveHost(
      title: "Order status",
      language: "en",
      pages: Bundle.module.bundleURL.appending(path: "Pages"),
      folder: folder
    ) { device in
      let app = try brasa.app(of: device)
      let model = OrderStatusViewModel(
        app,
        provider: service,
        credentials: ProtectedFile(device.folder.appending(path: "session.json")),
        device: ProtectedFile(device.folder.appending(path: "order-status.json"))
      )
      return OrderStatusPage(model, app: app)
    }
  }
}
