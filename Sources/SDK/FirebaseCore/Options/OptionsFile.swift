import Foundation

/// A file with an app's options: a property list or JSON.
///
/// A property list has Google's keys (`API_KEY`, `GOOGLE_APP_ID`, …), a JSON object these or the names of
/// the web's configuration (`apiKey`, `projectId`, `appId`, `messagingSenderId`, `storageBucket`,
/// `databaseURL`). `BRASA_HOST`, in JSON `host` too, is the server of all services. Other keys belong to others
/// and are passed over.
struct OptionsFile {
  private let texts: [String: String]

  /// Reads a file; nil where it is neither form.
  init?(path: String) {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    self.init(data: data)
  }

  init?(data: Data) {
    let list = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)
    let object =
      list as? [String: Any] ?? (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
    guard let object else { return nil }
    texts = object.compactMapValues { $0 as? String }
  }

  /// The path of the file beside the program.
  static func bundled() -> String? {
    Bundle.main.path(forResource: "GoogleService-Info", ofType: "plist")
      ?? Bundle.main.path(forResource: "firebase-config", ofType: "json")
  }

  /// The options; throws where one is missing or malformed.
  func members() throws(FirebaseAppError) -> FirebaseOptions.Members {
    guard let appID = text("GOOGLE_APP_ID", "appId") else {
      throw .invalidOptions("The options have no GOOGLE_APP_ID.")
    }
    var members = FirebaseOptions.Members(
      bundleID: text("BUNDLE_ID") ?? Bundle.main.bundleIdentifier ?? "",
      gcmSenderID: text("GCM_SENDER_ID", "messagingSenderId") ?? "",
      googleAppID: appID
    )
    members.apiKey = text("API_KEY", "apiKey")
    members.clientID = text("CLIENT_ID")
    members.projectID = text("PROJECT_ID", "projectId")
    members.databaseURL = text("DATABASE_URL", "databaseURL")
    members.storageBucket = text("STORAGE_BUCKET", "storageBucket")
    if let host = text("BRASA_HOST", "host") {
      members.host = try ServiceAddress(setting: host, named: "BRASA_HOST")
    }
    return members
  }

  private func text(_ names: String...) -> String? {
    names.lazy.compactMap { texts[$0] }.first { !$0.isEmpty }
  }
}

extension FirebaseOptions {
  /// The options of a file: a property list or JSON; nil where it is missing or wrong.
  ///
  /// ``reading(contentsOfFile:)`` says why.
  public convenience init?(contentsOfFile plistPath: String) {
    do throws(FirebaseAppError) {
      self.init(try Self.members(ofFile: plistPath))
    } catch {
      FirebaseLog.write(.error, "FirebaseCore", "I-COR000012", error.message)
      return nil
    }
  }

  /// The options of a file: a property list or JSON.
  public static func reading(
    contentsOfFile path: String
  ) throws(FirebaseAppError) -> FirebaseOptions {
    FirebaseOptions(try members(ofFile: path))
  }

  private static func members(ofFile path: String) throws(FirebaseAppError) -> Members {
    guard let file = OptionsFile(path: path) else {
      throw .invalidOptions("\(path) is neither a property list nor a JSON object.")
    }
    return try file.members()
  }

  /// Returns the options for `FirebaseApp.configure()`: a file's, or else the environment's.
  static func found() throws(FirebaseAppError) -> FirebaseOptions {
    if let path = OptionsFile.bundled() { return try reading(contentsOfFile: path) }
    guard let options = try environment(ProcessInfo.processInfo.environment) else {
      throw .optionsNotFound
    }
    return options
  }
}
