/// Receives tokens and messages, on the queue of callbacks.
public protocol MessagingDelegate: AnyObject {
  /// The app has a token: at the start the one that was kept, and each new one.
  func messaging(_ messaging: Messaging, didReceiveRegistrationToken fcmToken: String?)

  /// The installation is registered, where the app is reached by its installation's id.
  ///
  /// Called in place of the token's call when ``Messaging/isInstallationIdEnabled`` is true.
  func messaging(_ messaging: Messaging, didReceiveRegistration installationID: String?)

  /// The installation with that id is registered no more.
  func messaging(_ messaging: Messaging, didUnregister installationID: String)

  /// A message came by the direct stream, in the form that Apple's clients get.
  ///
  /// On Apple's systems messages come to the app's own delegate.
  func messaging(_ messaging: Messaging, didReceiveMessage userInfo: [AnyHashable: Any])

  /// The server has dropped messages because too many waited.
  func messagingDidDeleteMessages(_ messaging: Messaging)
}

extension MessagingDelegate {
  /// Does nothing.
  public func messaging(_ messaging: Messaging, didReceiveRegistrationToken fcmToken: String?) {}
  /// Does nothing.
  public func messaging(_ messaging: Messaging, didReceiveRegistration installationID: String?) {}
  /// Does nothing.
  public func messaging(_ messaging: Messaging, didUnregister installationID: String) {}
  /// Does nothing.
  public func messaging(_ messaging: Messaging, didReceiveMessage userInfo: [AnyHashable: Any]) {}
  /// Does nothing.
  public func messagingDidDeleteMessages(_ messaging: Messaging) {}
}
