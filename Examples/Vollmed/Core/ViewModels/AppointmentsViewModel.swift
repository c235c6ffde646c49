import Foundation
import Observation
import RESTClient

/// The screen "Minhas consultas".
@MainActor @Observable
package final class AppointmentsViewModel {
  package struct Row: Sendable, Equatable, Identifiable {
    package let id: String
    package let specialist: Specialist
    package let date: String
    package let isConfirmed: Bool
    /// True until the patient has confirmed the appointment.
    package let awaitsConfirmation: Bool
  }

  package private(set) var content = Content<[Row]>.loading
  package var rows: [Row]? { content.value }

  @ObservationIgnored private let service: any AppointmentService
  @ObservationIgnored private let session: Session
  @ObservationIgnored private let snackbar: SnackbarViewModel
  @ObservationIgnored private let timeZone: TimeZone

  package init(
    service: any AppointmentService,
    session: Session,
    snackbar: SnackbarViewModel,
    timeZone: TimeZone
  ) {
    self.service = service
    self.session = session
    self.snackbar = snackbar
    self.timeZone = timeZone
  }

  /// Loads the appointments; to be called each time the screen appears, and to try again.
  package func appear() async {
    guard let patient = session.credentials?.patientID else { return }
    content.startLoading()
    do {
      content = .loaded(try await service.appointments(ofPatient: patient).map(row))
    } catch {
      content.fail()
      await snackbar.show(error.customMessage)
    }
  }

  /// Confirms an appointment; the list shows what the service then says.
  package func confirm(_ row: Row) async {
    do {
      try await service.confirm(appointment: row.id)
    } catch {
      return await snackbar.show(error.customMessage)
    }
    await appear()
  }

  private func row(_ appointment: Appointment) -> Row {
    Row(
      id: appointment.id,
      specialist: appointment.specialist,
      date: AppointmentDate.shown(appointment.date, in: timeZone),
      isConfirmed: appointment.status == .confirmed,
      awaitsConfirmation: appointment.status == .booked
    )
  }
}
