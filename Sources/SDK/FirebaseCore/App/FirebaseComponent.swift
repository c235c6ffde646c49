/// An object that a product keeps for an app.
package protocol FirebaseComponent: AnyObject, Sendable {
  /// The app is gone: listeners and work in the background end.
  func appWasDeleted()
}
