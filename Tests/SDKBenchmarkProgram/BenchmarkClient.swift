import FirebaseCore
import FirebaseFirestore
import Foundation

/// An app's database in a folder for its state, with callbacks on a queue of its own.
struct BenchmarkClient {
  let url: String
  let project: String
  let firestore: Firestore

  init(url: String, project: String, state: URL) throws {
    self.url = url
    self.project = project
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = project
    options.apiKey = project
    options.bundleID = "sdk-benchmark"
    options.brasaHost = url
    options.stateDirectory = state
    let app = try FirebaseApp.configured(name: "benchmark", options: options)
    firestore = Firestore.firestore(app: app)
    let settings = firestore.settings
    settings.dispatchQueue = DispatchQueue(label: "callbacks")
    settings.cacheSettings = PersistentCacheSettings(sizeBytes: 1_000_000_000 as NSNumber)
    firestore.settings = settings
  }

  /// A product of about 600 bytes; twenty share a group.
  static func product(_ number: Int) -> [String: Any] {
    [
      "group": number / 20, "name": "Product \(number)", "price": Double(number % 977) + 0.99,
      "text": String(repeating: "words ", count: 87),
    ]
  }
}
