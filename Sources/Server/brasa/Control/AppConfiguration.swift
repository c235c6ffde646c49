import Authentication
import BaseJSON
import Foundation

/// The file by which an app finds its project on this server.
///
/// The API key is the project's id. `BRASA_HOST`, in JSON `host`, is the server's address, which Firebase's own SDKs pass
/// over.
struct AppConfiguration {
  /// The files that there are.
  enum Form: String, Codable, Sendable, CaseIterable {
    /// `GoogleService-Info.plist`, for apps on Apple's systems.
    case plist
    /// `firebase-config.json`: the web's configuration, which the Swift SDK reads everywhere.
    case json
    /// `google-services.json`, which the build of Android apps reads.
    case googleServices = "google-services"

    /// The name of the file that the systems of apps expect.
    var fileName: String {
      switch self {
      case .plist: "GoogleService-Info.plist"
      case .json: "firebase-config.json"
      case .googleServices: "google-services.json"
      }
    }
  }

  let app: RegisteredApp
  let project: String
  /// Scheme, host and port.
  let origin: String
  /// The client id of sign-ins with Google; nil where the project has none.
  let googleClientID: String?

  private var bucket: String { "\(project).appspot.com" }

  /// The file; without a form the one that is usual for the app's platform.
  func text(_ form: Form?) -> String {
    switch form ?? usualForm {
    case .plist: propertyList
    case .json: json.printed() + "\n"
    case .googleServices: googleServices.printed() + "\n"
    }
  }

  /// The form that is usual for the app's platform.
  var usualForm: Form {
    switch app.platform {
    case .ios: .plist
    case .web, .linux: .json
    case .android: .googleServices
    }
  }

  private var propertyList: String {
    let google = googleClientID.map { ofProject in
      let client = app.googleClientID ?? ofProject
      return [("CLIENT_ID", client), ("REVERSED_CLIENT_ID", RegisteredApp.reversed(client))]
    }
    let members =
      (google ?? []) + [
        ("API_KEY", project), ("GCM_SENDER_ID", app.senderID), ("PLIST_VERSION", "1"),
        ("BUNDLE_ID", app.bundleID ?? ""), ("PROJECT_ID", project), ("STORAGE_BUCKET", bucket),
        ("GOOGLE_APP_ID", app.id), ("BRASA_HOST", origin),
      ]
    let lines = members.filter { !$0.1.isEmpty }.map { name, value in
      "\t<key>\(name)</key>\n\t<string>\(Self.escaped(value))</string>"
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \(lines.joined(separator: "\n"))
      </dict>
      </plist>

      """
  }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
  }

  private var json: JSONValue {
    let domain = origin.split(separator: "/").last.map(String.init) ?? origin
    let members = [
      ("apiKey", project), ("authDomain", domain), ("projectId", project),
      ("storageBucket", bucket), ("messagingSenderId", app.senderID), ("appId", app.id),
      ("host", origin),
    ]
    return .object(members.map { .init($0.0, .string($0.1)) })
  }

  /// The clients of sign-ins with Google; type 3 is the web's, by which servers redeem codes.
  private var googleClients: [JSONValue] {
    googleClientID.map {
      [.object([.init("client_id", .string($0)), .init("client_type", .integer(3))])]
    } ?? []
  }

  private var googleServices: JSONValue {
    let client: [JSONValue.Member] = [
      .init(
        "client_info",
        .object([
          .init("mobilesdk_app_id", .string(app.id)),
          .init(
            "android_client_info",
            .object([.init("package_name", .string(app.bundleID ?? ""))])
          ),
        ])
      ),
      .init("oauth_client", .array(googleClients)),
      .init("api_key", .array([.object([.init("current_key", .string(project))])])),
      .init("services", .object([])),
    ]
    let info = [
      ("project_number", app.senderID), ("project_id", project), ("storage_bucket", bucket),
    ]
    return .object([
      .init("project_info", .object(info.map { .init($0.0, .string($0.1)) })),
      .init("client", .array([.object(client)])),
      .init("configuration_version", .string("1")),
      .init("host", .string(origin)),
    ])
  }
}
