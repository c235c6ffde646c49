#if canImport(LocalAuthentication)
import LocalAuthentication
import PontoCore

/// Face or finger; without either nothing can be deleted.
struct BiometricAuthenticator: Authenticator {
  func authenticate(reason: String) async -> Bool {
    let context = LAContext()
    guard context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil) else {
      return false
    }
    let isOwner = try? await context.evaluatePolicy(
      .deviceOwnerAuthenticationWithBiometrics,
      localizedReason: reason
    )
    return isOwner ?? false
  }
}
#endif
