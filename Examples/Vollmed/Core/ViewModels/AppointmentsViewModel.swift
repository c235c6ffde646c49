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
  }

  /// nil until the first reply.
  package private(set) var rows: [Row]?

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

  /// To be called each time the screen appears.
  package func appear() async {
    guard let patient = session.credentials?.patientID else { return }
    do {
      rows = try await service.appointments(ofPatient: patient).map { appointment in
        Row(
          id: appointment.id,
          specialist: appointment.specialist,
          date: AppointmentDate.shown(appointment.date, in: timeZone)
        )
      }
    } catch {
      await snackbar.show(error.customMessage)
    }
  }
}
