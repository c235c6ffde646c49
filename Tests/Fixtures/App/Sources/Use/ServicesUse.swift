import FirebaseAnalytics
import FirebaseMessaging
import FirebaseRemoteConfig
import FirebaseUI
import Foundation

/// Parameters of the app in the ways that apps read them.
public enum ParametersUse {
  struct Banner: Codable {
    var title: String
    var weight: Int
  }

  /// Defaults, fetch and activation, with callbacks.
  public static func begin() {
    let remoteConfig = RemoteConfig.remoteConfig()
    let settings = RemoteConfigSettings()
    settings.minimumFetchInterval = 60
    settings.fetchTimeout = 10
    remoteConfig.configSettings = settings
    remoteConfig.setDefaults(["delete_list_view": true as NSObject])
    remoteConfig.setDefaults(fromPlist: "RemoteConfigDefaults")
    remoteConfig.fetch { status, error in
      guard status == .success else {
        print(error?.localizedDescription ?? "no values")
        return
      }
      RemoteConfig.remoteConfig().activate { changed, error in
        print(changed, error?.localizedDescription ?? "")
      }
    }
    remoteConfig.fetch(withExpirationDuration: 3_600) { _, _ in }
    remoteConfig.fetchAndActivate { status, _ in
      if status == .successFetchedFromRemote { print("new") }
    }
    remoteConfig.ensureInitialized { _ in }
  }

  /// Values by key, type and source.
  public static func values() throws -> [String] {
    let remoteConfig = RemoteConfig.remoteConfig()
    let value = remoteConfig.configValue(forKey: "delete_list_view")
    var seen = [value.stringValue, "\(value.boolValue)", "\(value.numberValue.intValue)"]
    seen.append("\(value.dataValue.count) \(value.source == .remote)")
    seen += [remoteConfig["title"].stringValue]
    seen += remoteConfig.allKeys(from: .default) + remoteConfig.keys(withPrefix: "on_").sorted()
    seen.append(remoteConfig.configValue(forKey: "title", source: .default).stringValue)
    if let banner: Banner = remoteConfig[decodedValue: "banner"] { seen.append(banner.title) }
    try remoteConfig.setDefaults(from: ["banner": Banner(title: "Hello", weight: 1)])
    seen.append(try remoteConfig["banner"].decoded(asType: Banner.self).title)
    return seen
  }

  /// The same with `async`, and news.
  public static func follow() async throws {
    let remoteConfig = RemoteConfig.remoteConfig()
    _ = try await remoteConfig.fetch()
    _ = try await remoteConfig.activate()
    _ = try await remoteConfig.fetchAndActivate()
    try await remoteConfig.setCustomSignals([
      "km": .integer(5), "plan": .string("gold"), "old": nil,
    ])
    let registration = remoteConfig.addOnConfigUpdateListener { update, error in
      print(update?.updatedKeys ?? [], error?.localizedDescription ?? "")
    }
    registration.remove()
    for try await update in remoteConfig.configUpdates { print(update.updatedKeys) }
  }
}

/// Events in the ways that apps log them.
public enum EventsUse {
  /// Every call of an app's life.
  public static func log() {
    Analytics.logEvent("new_item", parameters: nil)
    Analytics.logEvent(AnalyticsEventSelectItem, parameters: [AnalyticsParameterItemID: "L1"])
    Analytics.logEvent(
      AnalyticsEventPurchase,
      parameters: [
        AnalyticsParameterValue: 9.9, AnalyticsParameterCurrency: "BRL",
        AnalyticsParameterItems: [[AnalyticsParameterItemName: "Lamp"]],
      ]
    )
    Analytics.setUserProperty("gold", forName: "plan")
    Analytics.setUserID("ana")
    Analytics.setDefaultEventParameters(["level": 3])
    Analytics.setSessionTimeoutInterval(600)
    Analytics.setAnalyticsCollectionEnabled(true)
    Analytics.setConsent([.analyticsStorage: .granted, .adStorage: .denied])
    Analytics.sessionID { number, error in print(number, error?.localizedDescription ?? "") }
    print(Analytics.appInstanceID() ?? "none")
    Analytics.resetAnalyticsData()
  }
}

/// Messages in the way of an app's delegate.
public final class MessagesUse: MessagingDelegate {
  /// Takes messages from now on.
  public init() { Messaging.messaging().delegate = self }

  /// The book's: the token could go to a server.
  public func messaging(_ messaging: Messaging, didReceiveRegistrationToken fcmToken: String?) {
    print(fcmToken ?? "no token")
  }

  /// Callbacks and topics.
  public func register(_ device: Data) {
    let messaging = Messaging.messaging()
    messaging.apnsToken = device
    messaging.isAutoInitEnabled = true
    messaging.token { token, error in print(token ?? "", error?.localizedDescription ?? "") }
    messaging.subscribe(toTopic: "news")
    messaging.unsubscribe(fromTopic: "news") { error in print(error?.localizedDescription ?? "") }
    messaging.deleteToken { _ in }
    print(messaging.appDidReceiveMessage(["gcm.message_id": "1"]).status == .new)
  }

  /// The same with `async`.
  public func registered() async throws -> String {
    try await Messaging.messaging().subscribe(toTopic: "news")
    return try await Messaging.messaging().token()
  }
}

/// Sign-in and photos in the way of FirebaseUI.
public final class ScreensUse: NSObject, FUIAuthDelegate {
  /// True if a user is signed in.
  public private(set) var isLoggedIn = false

  /// A cache with limits, a provider and a delegate.
  public override init() {
    super.init()
    let cache = SDImageCache(namespace: "tiny")
    cache.config.maxMemoryCost = 100 * 1024 * 1024
    cache.config.maxDiskSize = 50 * 1024 * 1024
    SDImageCachesManager.shared.addCache(cache)
    SDWebImageManager.defaultImageCache = SDImageCachesManager.shared
    guard let authUI = FUIAuth.defaultAuthUI() else { return }
    let providers: [FUIAuthProvider] = [FUIGoogleAuth()]
    authUI.providers = providers
    authUI.delegate = self
    isLoggedIn = Auth.auth().currentUser != nil
  }

  /// Hears of a sign-in.
  public func authUI(
    _ authUI: FUIAuth,
    didSignInWith authDataResult: AuthDataResult?,
    error: Error?
  ) {
    isLoggedIn = error == nil
  }

  /// A photo's bytes, perhaps from the cache.
  public func photo(_ imageId: String) async throws -> Data {
    let photo = Storage.storage().reference().child("/users/ana/\(imageId)")
    return try await StorageImageLoader.shared.imageData(of: photo).data
  }
}
