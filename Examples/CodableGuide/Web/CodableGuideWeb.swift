import CodableGuideCore
import FirebaseCore
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
    try await LiveHost(
      title: "Codable guide",
      language: "en",
      pages: Bundle.module.bundleURL.appending(path: "Pages"),
      folder: folder
    ) { device in
      GuidePage(try app(of: device, service: service, project: project))
    }
  }

  /// A browser's app, with the session and the cache of its own folder.
  private static func app(
    of device: Device,
    service: URL,
    project: String
  ) throws -> FirebaseApp {
    let options = FirebaseOptions(googleAppID: "1:42:linux:c0dab1e", gcmSenderID: "42")
    options.projectID = project
    options.apiKey = project
    options.brasaHost = service.absoluteString
    options.stateDirectory = device.folder
    return try FirebaseApp.configured(name: device.folder.lastPathComponent, options: options)
  }
}
