import Foundation
import Observation
import PontoCore
import ServiceHost

/// Asks for a PIN in the page, where a phone would ask for the face or the finger.
@MainActor @Observable
final class PINAuthenticator: Authenticator {
  private(set) var reason: String?
  private(set) var error: String?
  @ObservationIgnored private var answer: CheckedContinuation<Bool, Never>?
  @ObservationIgnored private let pin: String
  @ObservationIgnored private var tries = 0
  private static let mostTries = 5

  init(pin: String) {
    self.pin = pin
  }

  func authenticate(reason: String) async -> Bool {
    cancel()
    self.reason = reason
    return await withCheckedContinuation { answer = $0 }
  }

  /// Takes the text that the person typed; a wrong PIN keeps the question open, up to the fifth.
  func enter(_ text: String) {
    tries += 1
    if Secret.isEqual(Data(text.utf8), Data(pin.utf8)) {
      close(with: true)
    } else if tries == Self.mostTries {
      close(with: false)
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
    tries = 0
    answer?.resume(returning: result)
    answer = nil
  }
}
