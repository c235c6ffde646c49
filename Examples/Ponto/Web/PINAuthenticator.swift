import Foundation
import Observation
import PontoCore

/// Asks for a PIN in the page, where a phone would ask for the face or the finger.
@MainActor @Observable
final class PINAuthenticator: Authenticator {
  private(set) var reason: String?
  private(set) var error: String?
  @ObservationIgnored private var answer: CheckedContinuation<Bool, Never>?
  @ObservationIgnored private let pin: String

  init(pin: String) {
    self.pin = pin
  }

  func authenticate(reason: String) async -> Bool {
    cancel()
    self.reason = reason
    return await withCheckedContinuation { answer = $0 }
  }

  /// What the person typed; a wrong PIN keeps the question open.
  func enter(_ text: String) {
    if text == pin {
      close(with: true)
    } else {
      error = "PIN incorreto"
    }
  }

  func cancel() {
    close(with: false)
  }

  private func close(with result: Bool) {
    reason = nil
    error = nil
    answer?.resume(returning: result)
    answer = nil
  }
}
