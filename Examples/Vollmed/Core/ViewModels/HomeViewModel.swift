import Observation
import RESTClient

/// The home screen: the clinic's specialists, and log-out.
///
/// Until the first reply the screen shows a skeleton. After an error there is none: the screen offers
/// to try again, which it also does when it appears again.
@MainActor @Observable
package final class HomeViewModel {
  package private(set) var content = Content<[Specialist]>.loading
  package var specialists: [Specialist]? { content.value }

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

  /// Loads the specialists; to be called each time the screen appears, and to try again.
  package func appear() async {
    content.startLoading()
    do {
      content = .loaded(try await service.specialists())
    } catch {
      content.fail()
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
