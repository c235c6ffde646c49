/// Makes sure that the person at the device is its owner.
package protocol Authenticator: Sendable {
  /// - Parameter reason: The action that the person is asked to confirm.
  func authenticate(reason: String) async -> Bool
}
