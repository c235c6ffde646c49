/// Receives events about installations; the composition root connects services with stored data for
/// them.
package protocol InstallationObserver: Sendable {
  /// An installation has shown its refresh token; any task may call.
  func wasShown(_ installation: InstallationTokens.Installation) async throws
  /// An installation was deleted; its stored data must be gone when this returns.
  func wasDeleted(_ installation: InstallationTokens.Installation) async throws
}
