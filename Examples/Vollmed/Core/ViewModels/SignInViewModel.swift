import Observation
import RESTClient

/// The sign-in screen.
@MainActor @Observable
package final class SignInViewModel {
  package var email = ""
  package var password = ""
  package private(set) var isBusy = false
  package private(set) var notice: Notice?

  @ObservationIgnored private let service: any AuthenticationService
  @ObservationIgnored private let session: Session

  package init(service: any AuthenticationService, session: Session) {
    self.service = service
    self.session = session
  }

  package func signIn() async {
    guard !isBusy else { return }
    isBusy = true
    defer { isBusy = false }
    do {
      try session.begin(try await service.signIn(email: email, password: password))
      password = ""
    } catch {
      let text = (error as? RequestError)?.serverMessage
      notice = .failure(text ?? "Houve um erro ao tentar realizar login. Tente novamente!")
    }
  }

  package func closeNotice() {
    notice = nil
  }
}
