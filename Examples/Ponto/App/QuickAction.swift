#if canImport(SwiftUI)
import PontoCore

#if canImport(UIKit)
import UIKit

/// The home screen's quick action "Registrar ponto".
@MainActor
enum QuickAction {
  static let item = UIApplicationShortcutItem(
    type: "register",
    localizedTitle: "Registrar ponto"
  )

  /// How the app was opened; `LaunchObserver` notes it before the first view is made.
  static var launch = PontoViewModel.Launch.icon
}

/// To be named by the Xcode target's `@UIApplicationDelegateAdaptor`.
public final class LaunchObserver: NSObject, UIApplicationDelegate {
  public func application(
    _ application: UIApplication,
    configurationForConnecting session: UISceneSession,
    options: UIScene.ConnectionOptions
  ) -> UISceneConfiguration {
    application.shortcutItems = [QuickAction.item]
    if options.shortcutItem?.type == QuickAction.item.type { QuickAction.launch = .quickAction }
    return UISceneConfiguration(name: nil, sessionRole: session.role)
  }
}
#else
/// A Mac has no quick actions.
@MainActor
enum QuickAction {
  static let launch = PontoViewModel.Launch.icon
}
#endif
#endif
