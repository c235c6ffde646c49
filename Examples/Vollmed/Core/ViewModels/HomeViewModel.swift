import Observation
import RESTClient

/// The home screen: the clinic's specialists, and log-out.
///
/// Until the first reply the screen shows a skeleton, and keeps it when the reply is an error,
/// until the screen appears again.
@MainActor @Observable
package final class HomeViewModel {
  /// nil while the skeleton shows.
  package private(set) var specialists: [Specialist]?

  @ObservationIgnored private let service: any HomeService
  @ObservationIgnored private let authentication: any AuthenticationService
  @ObservationIgnored private let session: Session
  @ObservationIgnored private let snackbar: SnackbarViewModel

  package init(
    service: any HomeService,
    authentication: any AuthenticationService,
    session: Session,
    snackbar: SnackbarViewModel
  ) {
    self.service = service
    self.authentication = authentication
    self.session = session
    self.snackbar = snackbar
  }

  /// To be called each time the screen appears.
  package func appear() async {
    do {
      specialists = try await service.specialists()
    } catch {
      await snackbar.show(error.customMessage)
    }
  }

  /// The session ends only once the service has agreed.
  package func logOut() async {
    do {
      try await authentication.logOut()
      try session.end()
    } catch {
      await snackbar.show((error as? RequestError)?.customMessage ?? "Ops! Ocorreu um erro")
    }
  }
}
