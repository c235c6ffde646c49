import Foundation
import Observation
import RESTClient

/// The whole app: which screen shows, and the view models of the screens.
///
/// The session alone decides if the person sees the sign-in screen or the tabs, so a session that
/// ends anywhere leads back to sign-in.
@MainActor @Observable
package final class VollmedViewModel {
  package enum Tab: String, Sendable { case home, appointments }

  package enum Screen {
    case signIn(SignInViewModel)
    case signUp(SignUpViewModel)
    case tab(Tab)
    case booking(BookingViewModel)
    case cancellation(CancellationViewModel)
  }

  package let session: Session
  package let snackbar: SnackbarViewModel
  package let home: HomeViewModel
  package let appointments: AppointmentsViewModel
  package private(set) var tab = Tab.home

  /// The screen that covers the tabs, or the sign-in screen.
  private var cover: Screen?
  private let signIn: SignInViewModel
  @ObservationIgnored private let environment: VollmedEnvironment

  package init(_ environment: VollmedEnvironment, session: Session) {
    self.environment = environment
    self.session = session
    snackbar = SnackbarViewModel(clock: environment.clock)
    home = HomeViewModel(
      service: environment.homeService,
      authentication: environment.authentication,
      session: session,
      snackbar: snackbar
    )
    appointments = AppointmentsViewModel(
      service: environment.appointments,
      session: session,
      snackbar: snackbar,
      timeZone: environment.timeZone
    )
    signIn = SignInViewModel(service: environment.authentication, session: session)
  }

  package var screen: Screen {
    switch (session.isSignedIn, cover) {
    case (false, .signUp(let model)): .signUp(model)
    case (false, _): .signIn(signIn)
    case (true, .booking(let model)): .booking(model)
    case (true, .cancellation(let model)): .cancellation(model)
    case (true, _): .tab(tab)
    }
  }

  package func startSignUp() {
    cover = .signUp(SignUpViewModel(service: environment.authentication))
  }

  package func startBooking(with specialist: Specialist) {
    cover = .booking(booking(with: specialist, purpose: .book))
  }

  package func startMoving(_ row: AppointmentsViewModel.Row) {
    cover = .booking(booking(with: row.specialist, purpose: .move(appointment: row.id)))
  }

  package func startCancelling(_ row: AppointmentsViewModel.Row) {
    cover = .cancellation(
      CancellationViewModel(appointment: row.id, service: environment.appointments)
    )
  }

  /// Leaves what covers the tabs; the tab below appears again.
  package func goBack() async {
    cover = nil
    await appear()
  }

  package func select(_ tab: Tab) async {
    self.tab = tab
    cover = nil
    await appear()
  }

  /// Loads what the visible tab shows.
  package func appear() async {
    guard case .tab(let tab) = screen else { return }
    switch tab {
    case .home: await home.appear()
    case .appointments: await appointments.appear()
    }
  }

  private func booking(
    with specialist: Specialist,
    purpose: BookingViewModel.Purpose
  ) -> BookingViewModel {
    BookingViewModel(
      specialist: specialist,
      purpose: purpose,
      now: environment.now(),
      service: environment.appointments,
      session: session,
      timeZone: environment.timeZone
    )
  }
}
