import Authentication
import BaseJSON

// The documents by which phones connect this server's address with its apps:
//
//     GET  /.well-known/apple-app-site-association    iOS apps with a team id
//     GET  /.well-known/assetlinks.json               Android apps with fingerprints
//
// A server has one origin, so that its documents name the apps of all projects.

extension IdentityService {
  /// Seconds for which phones and Apple's servers may keep the documents.
  private static let lifetime: Int64 = 300

  /// The document for Apple's systems: sign-in links open the app, and the app signs in on this address.
  func appleAssociation() async throws -> IdentityAnswer {
    let accounts = accounts
    let apps = try await blocking { try accounts.associatedApps() }
    let ids: JSONValue = .array(
      apps.compactMap { app in
        guard let team = app.teamID, let bundle = app.bundleID else { return nil }
        return .string("\(team).\(bundle)")
      }
    )
    let links: JSONValue = .object([
      "appIDs": ids, "components": .array([.object(["/": .string("/__/auth/*")])]),
    ])
    let document: JSONValue = .object([
      "applinks": .object(["details": .array([links])]),
      "webcredentials": .object(["apps": ids]),
    ])
    return .document(
      String(decoding: document.compactBytes, as: UTF8.self),
      lifetime: Self.lifetime
    )
  }

  /// The document for Android.
  func androidAssociation() async throws -> IdentityAnswer {
    let accounts = accounts
    let apps = try await blocking { try accounts.associatedApps() }
    let statements = apps.compactMap { app -> JSONValue? in
      guard let fingerprints = app.fingerprints, let package = app.bundleID else { return nil }
      return .object([
        "relation": .array([
          .string("delegate_permission/common.handle_all_urls"),
          .string("delegate_permission/common.get_login_creds"),
        ]),
        "target": .object([
          "namespace": .string("android_app"), "package_name": .string(package),
          "sha256_cert_fingerprints": .array(fingerprints.map(JSONValue.string)),
        ]),
      ])
    }
    return .document(
      String(decoding: JSONValue.array(statements).compactBytes, as: UTF8.self),
      lifetime: Self.lifetime
    )
  }
}
