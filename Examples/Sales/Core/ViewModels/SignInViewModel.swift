import Observation
import RESTClient

/// The sign-in screen.
@MainActor @Observable
package final class SignInViewModel {
  package var email = ""
  package var password = ""
  package private(set) var isBusy = false
  package private(set) var error: String?
  @ObservationIgnored private let session: SalesSession

  package init(session: SalesSession) {
    self.session = session
  }

  package func signIn() async {
    guard !isBusy else { return }
    isBusy = true
    error = nil
    defer { isBusy = false }
    do {
      try await session.signIn(email: email, password: password)
      password = ""
    } catch {
      let refusal = (error as? RequestError)?.status == 400
      self.error = refusal ? "Wrong e-mail or password" : "The service couldn't be reached"
    }
  }
}
