import Authentication
import BaseJSON

/// The copy of a project's registered apps, which get ids of this server.
struct AppsCopy: Sendable {
  let source: SourceServer
  let target: MigrationTarget

  private static let kinds: [(path: String, platform: RegisteredApp.Platform, bundle: String?)] = [
    ("iosApps", .ios, "bundleId"), ("androidApps", .android, "packageName"), ("webApps", .web, nil),
  ]

  /// Registers the apps that are not registered yet; returns how many the source has, the ids that each has there and here,
  /// and why some were dropped.
  func run() async throws -> (count: Int, ids: [(there: String, here: String)], drops: [String]) {
    // A line has an app's id, and behind it what names it.
    let known = Set(
      try await target.perform(.apps(project: target.label.project, .list)).lines.map {
        $0.split(separator: " ", maxSplits: 1).last.map { $0.drop { $0 == " " } } ?? ""
      }
    )
    var (count, ids, drops) = (0, [(there: String, here: String)](), [String]())
    for (path, platform, bundle) in Self.kinds {
      let root = "/v1beta1/projects/\(source.project)/\(path)"
      try await source.list(.management, "\(root)?pageSize=100", "apps") { app in
        guard let id = app["appId"]?.string, app["state"]?.string != "DELETED" else { return }
        count += 1
        let bundleID = bundle.flatMap { app[$0]?.string }
        let name = app["displayName"]?.string
        let names = [platform.rawValue, bundleID, name].compactMap(\.self).joined(separator: "  ")
        guard !known.contains(Substring(names)) else { return }
        let fingerprints =
          platform == .android ? try await self.fingerprints("\(root)/\(id)/sha") : []
        let request = AppsRequest.create(
          platform: platform,
          bundleID: bundleID,
          displayName: name,
          teamID: app["teamId"]?.string.flatMap { $0.isEmpty ? nil : $0 },
          fingerprints: fingerprints.isEmpty ? nil : fingerprints,
          googleClientID: nil
        )
        do {
          let made = try await target.perform(.apps(project: target.label.project, request)).lines
          ids += made.map { (there: id, here: $0) }
        } catch ControlError.refused(_, let message) {
          drops.append("app \(id): \(message)")
        }
      }
    }
    return (count, ids, drops)
  }

  /// The SHA-256 fingerprints of an Android app's certificates, in pairs of digits.
  private func fingerprints(_ target: String) async throws -> [String] {
    let found = try await source.get(.management, target)?["certificates"]?.elements ?? []
    return found.compactMap { certificate in
      guard certificate["certType"]?.string == "SHA_256",
        let digits = certificate["shaHash"]?.string.map({ Array($0) }), digits.count == 64
      else { return nil }
      return stride(from: 0, to: 64, by: 2).map { String(digits[$0...$0 + 1]) }
        .joined(separator: ":")
    }
  }
}
