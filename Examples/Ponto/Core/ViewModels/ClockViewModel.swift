import Foundation
import Observation

/// The screen "Início": the clock, and the button that registers the moment.
@MainActor @Observable
package final class ClockViewModel {
  package private(set) var time: String
  package private(set) var message: String?
  package private(set) var isBusy = false

  @ObservationIgnored private let environment: PontoEnvironment

  package init(_ environment: PontoEnvironment) {
    self.environment = environment
    time = ReceiptDate.clock(environment.now())
  }

  /// Keeps the time right; to be run while the screen is visible.
  package func tick() async {
    while !Task.isCancelled {
      let now = ReceiptDate.clock(environment.now())
      if now != time { time = now }
      try? await environment.clock.sleep(for: .seconds(1))
    }
  }

  /// Registers this moment, at this place, with this photo.
  ///
  /// The receipt is on this device's disk before the first attempt to send it.
  ///
  /// - Parameter place: nil when the device does not tell where it is; one that is not on earth is
  ///   refused here, for the service stores any.
  package func register(photo: Picture?, place: Place?) async {
    guard !isBusy else { return }
    guard place?.isOnEarth ?? true else {
      message = "A localização informada não existe"
      return
    }
    isBusy = true
    defer { isBusy = false }
    let receipt = Receipt(
      id: environment.makeID(),
      date: environment.now(),
      place: place ?? .unknown
    )
    do {
      try environment.outbox.add(receipt, photo: photo?.bytes)
      message = try await text(for: receipt)
    } catch {
      message = "Não foi possível guardar o registro neste aparelho"
    }
  }

  private func text(for receipt: Receipt) async throws -> String {
    if case .postponed = try await environment.synchronizer.synchronize() {
      return "Registro guardado. Ele será enviado quando houver conexão."
    }
    let refused = try environment.outbox.entries().first {
      $0.receiptID == receipt.id && $0.refusal != nil
    }
    return refused?.refusal ?? "Ponto registrado às \(ReceiptDate.clock(receipt.date))"
  }
}
