import FirebaseMessaging

/// Hears of tokens and messages for the app.
///
/// A message counts as received once `onPush` has returned: a process that ends before gets it again. The delegate is
/// called on the main queue, which is messaging's default.
final class PushReceiver: MessagingDelegate, Sendable {
  private let onToken: @MainActor @Sendable () -> Void
  private let onPush: @MainActor @Sendable (OrderPush) -> Void

  init(
    onToken: @escaping @MainActor @Sendable () -> Void,
    onPush: @escaping @MainActor @Sendable (OrderPush) -> Void
  ) {
    (self.onToken, self.onPush) = (onToken, onPush)
  }

  func messaging(_ messaging: Messaging, didReceiveRegistrationToken fcmToken: String?) {
    MainActor.assumeIsolated { onToken() }
  }

  func messaging(_ messaging: Messaging, didReceiveMessage userInfo: [AnyHashable: Any]) {
    guard let push = OrderPush(userInfo) else { return }
    MainActor.assumeIsolated { onPush(push) }
  }
}
