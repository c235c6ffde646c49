import Authentication
import BaseStatus
import BaseText
import Checksums
import FirestoreModel
import Foundation
import ObjectStorage

extension LocalAdministration {
  /// Does what `brasa apps` asks, on one project.
  func apps(
    _ request: AppsRequest,
    project: String,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    try DatabaseID(project: Text(project), database: "(default)").checkCreatable()
    let scope = accounts.project(Text(project))
    do {
      switch request {
      case .create(let platform, let bundleID, let name, let teamID, let fingerprints, let client):
        let app = try scope.registerApp(
          platform,
          bundleID: bundleID,
          displayName: name,
          teamID: teamID,
          fingerprints: fingerprints,
          googleClientID: client,
          projectNumber: Self.number(of: Text(project))
        )
        try output(.line(app.id))
        try output(.finished(summary: "registered the \(platform.rawValue) app \(app.id)"))
      case .setGoogleClient(let which, let clientID):
        let app = try find(which, scope)
        guard try scope.setGoogleClient(ofApp: app.id, to: clientID) else {
          throw Self.noApp(which)
        }
        let client = clientID ?? "the project's client at Google"
        try output(.finished(summary: "\(app.id) has \(client)"))
      case .list: try listApps(scope, output)
      case .config(let which, let form, let origin):
        let origin = try Self.checked(origin ?? accounts.origin)
        let file = AppConfiguration(
          app: try find(which, scope),
          project: project,
          origin: origin,
          googleClientID: try scope.googleClientID()
        )
        try output(.line(file.text(form)))
        try output(.finished(summary: "\(file.app.id) finds the server at \(origin)"))
      case .delete(let which):
        let app = try find(which, scope)
        guard try scope.removeApp(app.id) else { throw Self.noApp(which) }
        try output(.finished(summary: "deleted \(app.id)"))
      }
    } catch let error as AccountError {
      throw ServiceError(.invalidArgument, error.message, cause: error.cause)
    }
  }

  private func listApps(
    _ project: ProjectAccounts,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let apps = try project.apps()
    for app in apps {
      let names = [app.id, app.platform.rawValue, app.bundleID, app.displayName]
      try output(.line(names.compactMap(\.self).joined(separator: "  ")))
    }
    try output(.finished(summary: apps.count.counting("app")))
  }

  private func find(_ which: String, _ project: ProjectAccounts) throws -> RegisteredApp {
    guard let app = try project.app(which) else { throw Self.noApp(which) }
    return app
  }

  private static func noApp(_ which: String) -> ServiceError {
    ServiceError(.notFound, "There is no app with the ID or bundle ID \(which).")
  }

  /// An origin that apps take from a file: over TLS, or this machine's own.
  static func checked(_ origin: String) throws(ServiceError) -> String {
    let loopback = ["127.0.0.1", "localhost", "::1", "[::1]"]
    guard let parts = URLComponents(string: origin), let host = parts.host, !host.isEmpty,
      parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil,
      parts.scheme == "https" || parts.scheme == "http" && loopback.contains(host)
    else {
      throw .invalidArgument(
        "Apps need an https address, and \(origin) is not one. Pass one: --origin https://db.example.com"
      )
    }
    return origin.hasSuffix("/") ? String(origin.dropLast()) : origin
  }

  /// The number that clients know a project by; the same as buckets show.
  static func number(of project: Text) -> UInt32 {
    var crc = CRC32C()
    crc.update(Array(project.string.utf8))
    return crc.value
  }
}
