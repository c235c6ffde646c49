import Foundation
import Observation
import RESTClient

/// The calendar on which an appointment is booked or moved.
@MainActor @Observable
package final class BookingViewModel {
  package enum Purpose: Sendable, Equatable {
    case book
    case move(appointment: String)
  }

  /// The calendar's step.
  package static let minutes = 15

  package let specialist: Specialist
  package let purpose: Purpose
  /// The first moment that can be chosen: the next quarter of an hour.
  package let earliest: Date
  package var date: Date
  package private(set) var isBusy = false
  package private(set) var notice: Notice?

  @ObservationIgnored private let service: any AppointmentService
  @ObservationIgnored private let session: Session
  @ObservationIgnored private let timeZone: TimeZone

  package init(
    specialist: Specialist,
    purpose: Purpose,
    now: Date,
    service: any AppointmentService,
    session: Session,
    timeZone: TimeZone
  ) {
    self.specialist = specialist
    self.purpose = purpose
    let step = Double(Self.minutes * 60)
    earliest = Date(
      timeIntervalSince1970: (now.timeIntervalSince1970 / step).rounded(.up) * step
    )
    date = earliest
    self.service = service
    self.session = session
    self.timeZone = timeZone
  }

  package var buttonTitle: String {
    purpose == .book ? "Agendar consulta" : "Reagendar consulta"
  }

  package func confirm() async {
    guard !isBusy, let patient = session.credentials?.patientID else { return }
    isBusy = true
    defer { isBusy = false }
    let text = AppointmentDate.sent(date, in: timeZone)
    do {
      switch purpose {
      case .book:
        try await service.book(specialist: specialist.id, patient: patient, date: text)
        notice = .success("A consulta foi agendada com sucesso!")
      case .move(let appointment):
        try await service.move(appointment: appointment, to: text)
        notice = .success("A consulta foi reagendada com sucesso!")
      }
    } catch {
      notice = .failure(error.customMessage)
    }
  }

  package func closeNotice() {
    notice = nil
  }
}
