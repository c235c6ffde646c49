#if canImport(UIKit) && canImport(SwiftUI)
import Observation
import UIKit

/// The home screen's quick action "Registrar ponto".
///
/// UIKit makes the delegates that hear of it, so they and the views share this one object.
@MainActor @Observable
final class QuickAction {
  static let shared = QuickAction()
  static let item = UIApplicationShortcutItem(type: "register", localizedTitle: "Registrar ponto")

  /// True if it was chosen and has not been followed yet.
  var isPending = false
}

/// Hears of the quick action; to be named by the Xcode target's `@UIApplicationDelegateAdaptor`.
public final class LaunchObserver: NSObject, UIApplicationDelegate {
  /// Offers the quick action, and notes whether it opened the app.
  public func application(
    _ application: UIApplication,
    configurationForConnecting session: UISceneSession,
    options: UIScene.ConnectionOptions
  ) -> UISceneConfiguration {
    application.shortcutItems = [QuickAction.item]
    if options.shortcutItem != nil { QuickAction.shared.isPending = true }
    let configuration = UISceneConfiguration(name: nil, sessionRole: session.role)
    configuration.delegateClass = SceneObserver.self
    return configuration
  }
}

/// Hears of the quick action while the app is already running.
final class SceneObserver: NSObject, UIWindowSceneDelegate {
  func windowScene(
    _ windowScene: UIWindowScene,
    performActionFor shortcutItem: UIApplicationShortcutItem
  ) async -> Bool {
    QuickAction.shared.isPending = true
    return true
  }
}
#endif
