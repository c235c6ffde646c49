import FirebaseCore
import Foundation

// Where an app's session is kept: in the Keychain, or on other systems in
// `<state directory>/firebase/<program>/<app id>/<app name>_firebase_user`.

extension FirebaseApp {
  /// The store of this app's session.
  func sessionStore() -> any SessionStore {
    let name = "\(name)_firebase_user"
    #if canImport(Security)
    if options.stateDirectory == nil {
      return KeychainSessionStore(service: "firebase_auth_\(options.googleAppID)", account: name)
    }
    #endif
    let program =
      options.bundleID.isEmpty ? ProcessInfo.processInfo.processName : options.bundleID
    let parts = ["firebase", program, options.projectID ?? "", options.googleAppID, name]
    let directory = options.stateDirectory ?? Self.dataDirectory
    return FileSessionStore(
      file: parts.filter { !$0.isEmpty }.reduce(directory) {
        $0.appendingPathComponent(Self.fileName($1))
      }
    )
  }

  private static var dataDirectory: URL {
    let variables = ProcessInfo.processInfo.environment
    if let path = variables["XDG_DATA_HOME"], path.hasPrefix("/") {
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    return FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share")
  }

  /// A name without what has a meaning in paths.
  private static func fileName(_ text: String) -> String {
    let name = String(text.map { $0.isLetter || $0.isNumber || "-_.".contains($0) ? $0 : "_" })
    return name.hasPrefix(".") ? "_\(name)" : name
  }
}
