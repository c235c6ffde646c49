import FirebaseCore
import Foundation
import LivePage

/// A project at a Brasa, and the app of it that pages show to each browser.
package struct BrasaProject: Sendable {
  private let id: String
  private let address: URL
  private let appID: String

  /// - Parameter appID: The app's id, in Google's form.
  package init(_ id: String, at address: URL, appID: String) {
    (self.id, self.address, self.appID) = (id, address, appID)
  }

  /// The options of an app that keeps its state in a folder.
  package func options(keepingStateIn folder: URL) -> FirebaseOptions {
    let options = FirebaseOptions(googleAppID: appID, gcmSenderID: "42")
    options.projectID = id
    options.apiKey = id
    options.storageBucket = "\(id).appspot.com"
    options.brasaHost = address.absoluteString
    options.stateDirectory = folder
    return options
  }

  /// A browser's app, with the session and the caches of its own folder.
  package func app(of device: Device) throws -> FirebaseApp {
    let options = options(keepingStateIn: device.folder)
    return try FirebaseApp.configured(name: device.folder.lastPathComponent, options: options)
  }
}
