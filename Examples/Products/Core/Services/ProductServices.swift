import FirebaseAuth
import FirebaseCore
import FirebaseFirestore
import FirebaseRemoteConfig
import FirebaseStorage
import FirebaseUI
import Foundation

/// The parts of the app: the products of Firebase that it uses, and its folder on this device.
@MainActor
package struct ProductServices {
  package let app: FirebaseApp
  package let auth: Auth
  package let database: Firestore
  package let storage: Storage
  package let authUI: FUIAuth
  package let flags: FeatureFlags
  package let events: ProductEvents
  package let images: StorageImageLoader
  package let cache: SDImageCache
  package let journal: PhotoJournal
  package let clock: any Clock<Duration>

  /// FirebaseUI has no sign-in for the app.
  package struct Incomplete: LocalizedError {
    package var errorDescription: String? { "The app lacks FirebaseUI's sign-in." }
  }

  /// Throws ``Incomplete`` if a part is missing.
  ///
  /// - Parameters:
  ///   - providers: The providers with which people may sign in besides email and password.
  ///   - fetchInterval: The least time between two questions for flags, in seconds.
  ///   - uploadPatience: The time for which an upload is retried while nothing of it arrives, in
  ///     seconds.
  ///   - clock: The clock by which photos in question are looked into again.
  package init(
    _ app: FirebaseApp,
    providers: (FUIAuth) -> [any FUIAuthProvider],
    fetchInterval: TimeInterval = 60,
    uploadPatience: TimeInterval = 15,
    clock: any Clock<Duration> = ContinuousClock()
  ) throws(Incomplete) {
    let auth = Auth.auth(app: app)
    guard let authUI = FUIAuth(uiWith: auth) else { throw Incomplete() }
    authUI.providers = providers(authUI)
    self.app = app
    self.auth = auth
    self.authUI = authUI
    database = Firestore.firestore(app: app)
    storage = Storage.storage(app: app)
    storage.maxUploadRetryTime = uploadPatience
    storage.maxDownloadRetryTime = uploadPatience
    storage.maxOperationRetryTime = uploadPatience
    flags = FeatureFlags(RemoteConfig.remoteConfig(app: app), fetchInterval: fetchInterval)
    events = ProductEvents()
    let folder = app.options.stateDirectory ?? Self.applicationFolder
    cache = Self.imageCache(folder)
    images = StorageImageLoader(cache: cache)
    journal = PhotoJournal(folder: folder)
    self.clock = clock
  }

  private static var applicationFolder: URL {
    let manager = FileManager.default
    return manager.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      ?? manager.temporaryDirectory
  }

  /// The photos' cache, with the limits of the book.
  private static func imageCache(_ folder: URL) -> SDImageCache {
    let cache = SDImageCache(namespace: "tiny", diskCacheDirectory: folder.path)
    cache.config.maxMemoryCost = 100 * 1024 * 1024
    cache.config.maxDiskSize = 50 * 1024 * 1024
    return cache
  }
}
