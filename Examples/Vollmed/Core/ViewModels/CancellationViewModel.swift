import Observation
import RESTClient

/// The screen on which an appointment is cancelled; the reason may be empty.
@MainActor @Observable
package final class CancellationViewModel {
  package var reason = ""
  package private(set) var isBusy = false
  package private(set) var notice: Notice?

  @ObservationIgnored private let appointment: String
  @ObservationIgnored private let service: any AppointmentService

  package init(appointment: String, service: any AppointmentService) {
    self.appointment = appointment
    self.service = service
  }

  package func cancel() async {
    guard !isBusy else { return }
    isBusy = true
    defer { isBusy = false }
    do {
      try await service.cancel(appointment: appointment, reason: reason)
      notice = .success("A consulta foi cancelada com sucesso!")
    } catch {
      notice = .failure(error.customMessage)
    }
  }

  package func closeNotice() {
    notice = nil
  }
}
