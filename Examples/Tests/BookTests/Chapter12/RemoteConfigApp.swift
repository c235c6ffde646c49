// swift-format-ignore-file
// The listings are the book's, with its force unwraps and its returns.
import Firebase

/// Chapter 12: what the server turns on and off.
enum Chapter12 {}

extension Chapter12 {
  // 12.1, 12.2. UI apart: the app's `body`.
  class RemoteConfigApp {
    // Not in the book: what the log has printed, for the test.
    var status: RemoteConfigFetchAndActivateStatus?

    // The options stand for the file of the bundle.
    init(options: FirebaseOptions) {
      FirebaseApp.configure(options: options)

      let remoteConfig = RemoteConfig.remoteConfig()
      let settings = RemoteConfigSettings()
      settings.minimumFetchInterval = 60
      remoteConfig.configSettings = settings

      let defaults: [String: Any?] = [
        "delete_list_view": true
      ]

      remoteConfig.setDefaults(defaults as? [String: NSObject])

      remoteConfig.fetchAndActivate { (status, error) -> Void in
        self.status = status
        if status == .successFetchedFromRemote {
          print("The RemoteConfig has been fetched!")
        } else {
          print("RemoteConfig not fetched")
        }
      }
    }

    // 12.3
    func isDeleteEnabled() -> Bool {
      return RemoteConfig.remoteConfig()
        .configValue(forKey: "delete_list_view").boolValue
    }
  }
}
