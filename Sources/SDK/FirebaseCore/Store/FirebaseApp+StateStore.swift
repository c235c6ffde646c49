import Foundation

// The location of an app's state: secrets of Apple's systems in the Keychain, everything else in
// `<state directory>/firebase/<program>/<project>/<app id>/<app name>_<state's name>`.

extension FirebaseApp {
  /// The store of a product's state.
  ///
  /// - Parameter keychain: The beginning of the Keychain's service; nil for state that is no secret.
  package func stateStore(named state: String, keychain: String?) -> any StateStore {
    #if canImport(Security)
    if let keychain, options.stateDirectory == nil {
      return KeychainStateStore(
        service: "\(keychain)_\(options.googleAppID)",
        account: "\(name)_\(state)"
      )
    }
    #endif
    return FileStateStore(file: stateFile(named: state))
  }

  /// The store of the session that a group of a person's programs shares for a project.
  package static func sessionStore(
    ofGroup group: String,
    _ options: FirebaseOptions,
    sharedAcrossDevices: Bool
  ) -> any StateStore {
    let project = options.projectID ?? options.googleAppID
    #if canImport(Security)
    if options.stateDirectory == nil {
      return KeychainStateStore(
        service: "firebase_auth_\(project)",
        account: "firebase_user",
        accessGroup: group,
        synchronizes: sharedAcrossDevices
      )
    }
    #endif
    let parts = ["firebase", "groups", group, project, "firebase_user"]
    let directory = options.stateDirectory ?? dataDirectory
    let file = parts.reduce(directory) { $0.appendingPathComponent(fileName($1)) }
    return FileStateStore(file: file)
  }

  /// The file of a product's state; its directory need not be there.
  package func stateFile(named state: String) -> URL {
    let program =
      options.bundleID.isEmpty ? ProcessInfo.processInfo.processName : options.bundleID
    let parts = [
      "firebase", program, options.projectID ?? "", options.googleAppID, "\(name)_\(state)",
    ]
    let directory = options.stateDirectory ?? Self.dataDirectory
    return parts.filter { !$0.isEmpty }.reduce(directory) {
      $0.appendingPathComponent(Self.fileName($1))
    }
  }

  private static var dataDirectory: URL {
    #if canImport(Darwin)
    URL.applicationSupportDirectory
    #else
    let variables = ProcessInfo.processInfo.environment
    if let path = variables["XDG_DATA_HOME"], path.hasPrefix("/") {
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    return FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share")
    #endif
  }

  /// A name without the characters that have a meaning in paths.
  private static func fileName(_ text: String) -> String {
    let name = String(text.map { $0.isLetter || $0.isNumber || "-_.".contains($0) ? $0 : "_" })
    return name.hasPrefix(".") ? "_\(name)" : name
  }
}
