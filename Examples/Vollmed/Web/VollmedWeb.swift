import Foundation
import LivePage
import RESTClient
import VollmedCore

/// The clinic's pages, for a service that lives at `service`.
package enum VollmedWeb {
  @MainActor
  package static func host(service: URL, folder: URL, timeZone: TimeZone) async throws -> LiveHost {
    try await LiveHost(
      title: "Vollmed",
      language: "pt-BR",
      pages: Bundle.module.bundleURL.appending(path: "Pages"),
      folder: folder
    ) { device in
      let store = ProtectedFile(device.folder.appending(path: "session.json"))
      let session = Session(store: store)
      let environment = VollmedEnvironment.live(
        address: service,
        session: session,
        timeZone: timeZone
      )
      let app = VollmedViewModel(environment, session: session)
      return VollmedPage(app: app, timeZone: timeZone)
    }
  }
}
