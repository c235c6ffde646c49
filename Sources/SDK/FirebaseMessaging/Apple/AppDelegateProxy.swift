#if canImport(UIKit) && !os(watchOS)
import Foundation
import ObjectiveC
import UIKit

/// Hands the device's token of Apple and the ids of messages to messaging, in front of the app's own delegate.
///
/// The two methods of the delegate's class are replaced by ones that call what was there. It is left alone where
/// `FirebaseAppDelegateProxyEnabled` of the property list is NO.
@MainActor
enum AppDelegateProxy {
  private typealias TokenMethod =
    @convention(c) (AnyObject, Selector, UIApplication, NSData) -> Void
  private typealias MessageMethod =
    @convention(c) (
      AnyObject, Selector, UIApplication, NSDictionary, @escaping (UIBackgroundFetchResult) -> Void
    ) -> Void

  private static let tokenSelector = #selector(
    UIApplicationDelegate.application(_:didRegisterForRemoteNotificationsWithDeviceToken:)
  )
  private static let messageSelector = #selector(
    UIApplicationDelegate.application(_:didReceiveRemoteNotification:fetchCompletionHandler:)
  )
  private static var isInstalled = false

  /// Begins, once, if the app does not forbid it.
  static func install(for messaging: Messaging) {
    let key = "FirebaseAppDelegateProxyEnabled"
    let isAllowed = Bundle.main.object(forInfoDictionaryKey: key) as? Bool ?? true
    guard isAllowed, !isInstalled, let delegate = UIApplication.shared.delegate else { return }
    isInstalled = true
    replaceTokenMethod(of: type(of: delegate), messaging)
    replaceMessageMethod(of: type(of: delegate), messaging)
  }

  private static func replaceTokenMethod(of type: AnyClass, _ messaging: Messaging) {
    let old = class_getInstanceMethod(type, tokenSelector).map {
      unsafeBitCast(method_getImplementation($0), to: TokenMethod.self)
    }
    let block: @convention(block) (AnyObject, UIApplication, NSData) -> Void = {
      [weak messaging] delegate, application, token in
      messaging?.apnsToken = token as Data
      old?(delegate, tokenSelector, application, token)
    }
    class_replaceMethod(type, tokenSelector, imp_implementationWithBlock(block), "v@:@@")
  }

  private static func replaceMessageMethod(of type: AnyClass, _ messaging: Messaging) {
    let old = class_getInstanceMethod(type, messageSelector).map {
      unsafeBitCast(method_getImplementation($0), to: MessageMethod.self)
    }
    let block:
      @convention(block) (
        AnyObject, UIApplication, NSDictionary, @escaping (UIBackgroundFetchResult) -> Void
      ) -> Void = { [weak messaging] delegate, application, message, completion in
        messaging?.appDidReceiveMessage(message as? [AnyHashable: Any] ?? [:])
        guard let old else { return completion(.noData) }
        old(delegate, messageSelector, application, message, completion)
      }
    class_replaceMethod(type, messageSelector, imp_implementationWithBlock(block), "v@:@@@?")
  }
}
#endif
