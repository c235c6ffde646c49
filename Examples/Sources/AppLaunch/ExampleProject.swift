import ExampleServers
import FirebaseCore

/// A project of the examples at the Brasa that `scripts/examples` starts for it.
package struct ExampleProject: Sendable {
  private let id: String
  private let appID: String
  private let server: ExampleServers.Server

  package static let codableGuide = ExampleProject(
    "codable-guide",
    "1:42:ios:c0dab1e",
    .codableGuide
  )
  package static let orderStatus = ExampleProject("order-status", "1:42:ios:0bde5", .orderStatus)
  package static let products = ExampleProject("products", "1:42:ios:b0021e", .products)

  private init(_ id: String, _ appID: String, _ server: ExampleServers.Server) {
    (self.id, self.appID, self.server) = (id, appID, server)
  }

  /// The options of its app, without a file that `brasa apps config` writes.
  package func options(at servers: ExampleServers) throws -> FirebaseOptions {
    let options = FirebaseOptions(googleAppID: appID, gcmSenderID: "42")
    options.projectID = id
    options.apiKey = id
    options.storageBucket = "\(id).appspot.com"
    options.brasaHost = try servers.address(of: server).absoluteString
    return options
  }
}

extension FirebaseApp {
  /// Configures the default app by its `GoogleService-Info.plist`, or without one for the Brasa of
  /// `scripts/examples`.
  package static func launched(as project: ExampleProject) throws -> FirebaseApp {
    guard FirebaseOptions.defaultOptions() == nil else { return try configured() }
    return try configured(options: project.options(at: .bundled()))
  }
}
