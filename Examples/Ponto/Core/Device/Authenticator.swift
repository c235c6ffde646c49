/// Makes sure that the person at the device is its owner.
package protocol Authenticator: Sendable {
  /// - Parameter reason: What the person is asked to confirm.
  func authenticate(reason: String) async -> Bool
}
