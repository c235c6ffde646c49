import FirebaseCore
import FirebaseUI
import Foundation
import LivePage
import ProductsCore

/// The products' pages, for a Brasa that lives at `service`.
package enum ProductsWeb {
  /// The project that the pages use unless told otherwise.
  package static let project = "products"
  /// The provider beside Brasa, as the project knows it.
  package static let provider = "oidc.trial"

  /// The app lacks a part.
  struct Incomplete: Error {}

  /// - Parameter folder: Where each browser's app keeps its state, and the events of all wait to be sent.
  @MainActor
  package static func host(
    service: URL,
    project: String = project,
    folder: URL
  ) async throws -> LiveHost {
    // Analytics belongs to the program: the default app has the events of all browsers.
    let events = options(service, project, folder.appending(path: "events"))
    try FirebaseApp.configured(options: events)
    return try await LiveHost(
      title: "Products",
      language: "en",
      pages: Bundle.module.bundleURL.appending(path: "Pages"),
      folder: folder
    ) { device in
      let options = options(service, project, device.folder)
      let name = device.folder.lastPathComponent
      return try page(try FirebaseApp.configured(name: name, options: options))
    }
  }

  @MainActor
  private static func page(_ app: FirebaseApp) throws -> ProductsPage {
    let services = ProductServices(app) { authUI in
      [
        FUIOAuth(
          authUI: authUI,
          providerID: provider,
          buttonLabelText: "Sign in with the trial provider",
          shortName: "Trial provider"
        )
      ]
    }
    guard let services else { throw Incomplete() }
    return ProductsPage(ProductsViewModel(services))
  }

  private static func options(_ service: URL, _ project: String, _ folder: URL) -> FirebaseOptions {
    let options = FirebaseOptions(googleAppID: "1:42:linux:b0021e", gcmSenderID: "42")
    options.projectID = project
    options.apiKey = project
    options.storageBucket = "\(project).appspot.com"
    options.brasaHost = service.absoluteString
    options.stateDirectory = folder
    return options
  }
}
