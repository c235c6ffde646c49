#if canImport(SwiftUI) && canImport(UIKit)
import AppLaunch
import ExampleServers
import FirebaseCore
import FirebaseMessaging
import Foundation
import OrderStatusCore
import RESTClient
import UIKit
import UserNotifications

/// Makes the app's model, asks for permission, and hands what the system brings to the model.
///
/// The SDK takes the device's token of Apple from the delegate by itself.
@MainActor
final class AppDelegate: NSObject, UIApplicationDelegate, UNUserNotificationCenterDelegate {
  /// The app's model, or why there is none.
  let launch = Result { try AppDelegate.makeModel() }

  private static func makeModel() throws -> OrderStatusViewModel {
    OrderStatusViewModel(
      try FirebaseApp.launched(as: .orderStatus),
      provider: try ExampleServers.bundled().address(of: .sales),
      credentials: KeychainItem(account: "order-status-session"),
      device: KeychainItem(account: "order-status-device")
    )
  }

  private var model: OrderStatusViewModel? {
    if case .success(let model) = launch { model } else { nil }
  }

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    let center = UNUserNotificationCenter.current()
    center.delegate = self
    center.requestAuthorization(options: [.alert, .badge, .sound]) { isGranted, _ in
      Task { @MainActor in self.model?.status.decide(allowsBanners: isGranted) }
    }
    application.registerForRemoteNotifications()
    return true
  }

  /// A push that comes while the app is open: it fills the lines, and the system shows its banner with a sound.
  nonisolated func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    willPresent notification: UNNotification
  ) async -> UNNotificationPresentationOptions {
    await take(OrderPush(notification.request.content.userInfo))
    return [.banner, .list, .sound]
  }

  /// A push that was tapped while the app was not open fills the same screen.
  nonisolated func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    didReceive response: UNNotificationResponse
  ) async {
    await take(OrderPush(response.notification.request.content.userInfo))
  }

  /// The banner of iOS says it already.
  private func take(_ push: OrderPush?) {
    guard let push else { return }
    model?.take(push)
    model?.status.dismissBanner()
  }
}
#endif
