import CodableGuideCore
import FirebasePages
import Foundation
import LivePage

/// The guide's pages, for a Brasa that lives at `service`.
package enum CodableGuideWeb {
  /// The project that the pages use unless told otherwise.
  package static let project = "codable-guide"

  @MainActor
  package static func host(
    service: URL,
    project: String = project,
    folder: URL
  ) async throws -> LiveHost {
    let brasa = BrasaProject(project, at: service, appID: "1:42:linux:c0dab1e")
    return try await LiveHost(
      title: "Codable guide",
      language: "en",
      pages: Bundle.module.bundleURL.appending(path: "Pages"),
      folder: folder
    ) { device in
      GuidePage(try brasa.app(of: device))
    }
  }
}
