import Foundation
import Testing

@testable import FirebaseCore

/// Options from files and from the environment.
struct FirebaseOptionsTests {
  private func environment(
    _ variables: [String: String]
  ) -> Result<FirebaseOptions?, FirebaseAppError> {
    Result { () throws(FirebaseAppError) in try FirebaseOptions.environment(variables) }
  }

  private func url(_ service: FirebaseService, _ variables: [String: String]) throws -> String? {
    let variables = variables.merging(["BRASA_PROJECT": "shop"]) { first, _ in first }
    return try environment(variables).get()?.address(of: service)?.url
  }

  private func file(_ text: String) throws -> String {
    let path = NSTemporaryDirectory() + "options-\(UUID().uuidString)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test func `without a project the environment has no options`() throws {
    #expect(try environment(["BRASA_HOST": "localhost:8080"]).get() == nil)
    #expect(try environment(["BRASA_PROJECT": ""]).get() == nil)
  }

  @Test func `a project in the environment is its own key`() throws {
    let options = try #require(try environment(["BRASA_PROJECT": "shop"]).get())
    #expect(options.projectID == "shop" && options.apiKey == "shop")
    #expect(options.address(of: .auth) == nil)
  }

  @Test(arguments: [
    ("localhost:8080", "http://localhost:8080"), ("127.0.0.1:8080", "http://127.0.0.1:8080"),
    ("[::1]:8080", "http://[::1]:8080"), ("brasa.example.com", "https://brasa.example.com"),
    ("brasa.example.com:8443", "https://brasa.example.com:8443"),
    ("https://localhost", "https://localhost"), ("10.0.0.1:80", "https://10.0.0.1:80"),
    ("127.0.0.evil.com", "https://127.0.0.evil.com"),
  ])
  func `a host without a scheme is plain only on this machine`(host: String, url: String) throws {
    #expect(try self.url(.firestore, ["BRASA_HOST": host]) == url)
    #expect(try self.url(.auth, ["FIREBASE_AUTH_EMULATOR_HOST": host]) == url)
  }

  @Test(arguments: [
    "http://10.0.0.1:8080", "http://brasa.example.com", "ftp://localhost", "localhost:99999",
    "localhost:8080/path", "user@localhost", "https://", "a b",
  ])
  func `no variable turns TLS off or names no host`(host: String) {
    let found = environment(["BRASA_PROJECT": "shop", "BRASA_HOST": host])
    #expect(throws: FirebaseAppError.self) { try found.get() }
    let emulator = environment(["BRASA_PROJECT": "shop", "FIRESTORE_EMULATOR_HOST": host])
    #expect(throws: FirebaseAppError.self) { try emulator.get() }
  }

  @Test(arguments: ["0.0.0.0", "0.0.0.0:8080", "[::]:8080", "https://0.0.0.0:8080"])
  func `the address that a server listens on is no address for apps`(host: String) {
    let found = environment(["BRASA_PROJECT": "shop", "BRASA_HOST": host])
    let error = #expect(throws: FirebaseAppError.self) { try found.get() }
    #expect(error?.message.contains("BRASA_LISTEN") == true)
  }

  @Test func `a service's own variable goes before the server of all`() throws {
    let both = [
      "BRASA_HOST": "brasa.example.com", "FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:9099",
    ]
    #expect(try url(.auth, both) == "http://127.0.0.1:9099")
    #expect(try url(.firestore, both) == "https://brasa.example.com")
  }

  @Test func `a property list is read with Google's keys`() throws {
    let keys = [
      ("API_KEY", "key"), ("GOOGLE_APP_ID", "1:42:ios:ab"), ("GCM_SENDER_ID", "42"),
      ("BUNDLE_ID", "com.example.shop"), ("PROJECT_ID", "shop"), ("STORAGE_BUCKET", "shop.app"),
      ("DATABASE_URL", "https://db"), ("CLIENT_ID", "client"),
    ]
    let members = keys.map { "<key>\($0.0)</key><string>\($0.1)</string>" }.joined()
    let path = try file(
      "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(members)"
        + "<key>IS_MEASUREMENT_ENABLED</key><false/></dict></plist>"
    )
    let options = try #require(FirebaseOptions(contentsOfFile: path))
    #expect(options.apiKey == "key" && options.googleAppID == "1:42:ios:ab")
    #expect(options.gcmSenderID == "42" && options.bundleID == "com.example.shop")
    #expect(options.projectID == "shop" && options.storageBucket == "shop.app")
    #expect(options.databaseURL == "https://db" && options.clientID == "client")
  }

  @Test func `JSON is read with the names of the web's configuration`() throws {
    let path = try file(
      #"{"apiKey":"shop","projectId":"shop","appId":"1:42:web:ab","messagingSenderId":"42","#
        + #""host":"https://brasa.example.com"}"#
    )
    let options = try FirebaseOptions.reading(contentsOfFile: path)
    #expect(options.apiKey == "shop" && options.gcmSenderID == "42")
    #expect(options.brasaHost == "https://brasa.example.com")
  }

  @Test(arguments: [
    "", "[]", "{", #"{"projectId":"shop"}"#, #"{"appId":"1:4:web:a","host":"http://10.1.1.1"}"#,
  ])
  func `other files have no options`(text: String) throws {
    let path = try file(text)
    #expect(FirebaseOptions(contentsOfFile: path) == nil)
    #expect(throws: FirebaseAppError.self) { try FirebaseOptions.reading(contentsOfFile: path) }
  }

  @Test func `code may reach another machine in plain text`() {
    let options = FirebaseOptions(googleAppID: "1:42:ios:ab", gcmSenderID: "42")
    options.brasaHost = "http://192.168.1.20:8080"
    #expect(options.address(of: .storage)?.url == "http://192.168.1.20:8080")
    options.brasaHost = nil
    #expect(options.address(of: .storage) == nil)
  }

  @Test func `arguments switch the debug log`() {
    #expect(FirebaseLog.initialLevel(["app"]) == .notice)
    #expect(FirebaseLog.initialLevel(["app", "-FIRDebugEnabled"]) == .debug)
    #expect(FirebaseLog.initialLevel(["app", "-FIRDebugEnabled", "-FIRDebugDisabled"]) == .notice)
    let line = FirebaseLog.line("FirebaseX", "I-XXX000000", "text")
    #expect(line == "\(FirebaseVersion()) - [FirebaseX][I-XXX000000] text")
  }

  @Test func `options of another app are noted in the log`() {
    let options = FirebaseOptions(googleAppID: "1:42:ios:ab", gcmSenderID: "42")
    options.bundleID = "com.example.shop"
    #expect(options.bundleMismatch(with: "com.example.shop") == nil)
    #expect(options.bundleMismatch(with: nil) == nil)
    let text = options.bundleMismatch(with: "com.example.other")
    #expect(text?.hasPrefix("The options are of the app com.example.shop and this") == true)
    options.bundleID = ""
    #expect(options.bundleMismatch(with: "com.example.other") == nil)
  }
}
