// Options from environment variables:
//
//     BRASA_PROJECT                   the project's id, which is Brasa's API key too; without it none apply
//     BRASA_HOST                      the server of all services
//     FIREBASE_AUTH_EMULATOR_HOST     one service's server, before BRASA_HOST
//     FIRESTORE_EMULATOR_HOST
//     FIREBASE_STORAGE_EMULATOR_HOST
//
// A host is `name`, `name:port`, or either after `https://` or `http://`. Without a scheme it is reached over
// TLS unless it is this machine's loopback; no variable can turn TLS off towards another machine.

extension FirebaseOptions {
  /// The options that variables name; nil where they name no project.
  package static func environment(
    _ variables: [String: String]
  ) throws(FirebaseAppError) -> FirebaseOptions? {
    func variable(_ name: String) -> String? {
      variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let project = variable("BRASA_PROJECT") else { return nil }
    let options = FirebaseOptions(googleAppID: "1:0:linux:0", gcmSenderID: "0")
    var members = options.snapshot
    members.projectID = project
    members.apiKey = project
    members.storageBucket = "\(project).appspot.com"
    if let host = variable("BRASA_HOST") {
      members.host = try ServiceAddress(setting: host, named: "BRASA_HOST")
    }
    for service in FirebaseService.allCases {
      guard let name = service.emulatorVariable, let host = variable(name) else { continue }
      members.serviceHosts[service] = try ServiceAddress(setting: host, named: name)
    }
    return FirebaseOptions(members)
  }
}

extension FirebaseService {
  /// The variable by which Google's tools name this service's emulator.
  fileprivate var emulatorVariable: String? {
    switch self {
    case .auth: "FIREBASE_AUTH_EMULATOR_HOST"
    case .firestore: "FIRESTORE_EMULATOR_HOST"
    case .storage: "FIREBASE_STORAGE_EMULATOR_HOST"
    // Google has no emulator of these.
    case .remoteConfig, .installations, .analytics, .messaging, .functions: nil
    }
  }
}
