import FirebaseCore
import FirebasePages
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

  /// - Parameter folder: The folder in which each browser's app keeps its state, and the events of
  ///   all wait to be sent.
  @MainActor
  package static func host(
    service: URL,
    project: String = project,
    folder: URL
  ) async throws -> LiveHost {
    let brasa = BrasaProject(project, at: service, appID: "1:42:linux:b0021e")
    // Analytics belongs to the program: the default app has the events of all browsers.
    let events = brasa.options(keepingStateIn: folder.appending(path: "events"))
    try FirebaseApp.configured(options: events)
    return try await LiveHost(
      title: "Products",
      language: "en",
      pages: Bundle.module.bundleURL.appending(path: "Pages"),
      folder: folder
    ) { device in
      let services = try ProductServices(try brasa.app(of: device), providers: providers)
      return ProductsPage(ProductsViewModel(services))
    }
  }

  /// Google's button, as in the book, and the provider beside Brasa; a project that has no Google says so when the
  /// button is clicked.
  private static func providers(_ authUI: FUIAuth) -> [any FUIAuthProvider] {
    [
      FUIGoogleAuth(authUI: authUI),
      FUIOAuth(
        authUI: authUI,
        providerID: provider,
        buttonLabelText: "Sign in with the trial provider",
        shortName: "Trial provider"
      ),
    ]
  }
}
