import FirebaseAuth
import FirebaseUI
import Foundation
import Observation

/// Sign-in: by a provider's page, or by email and password.
@MainActor @Observable
package final class SignInViewModel {
  package var email = ""
  package private(set) var error: String?
  package private(set) var isBusy = false
  /// The provider's page, while the person is expected to be there.
  package private(set) var providerPage: URL?
  @ObservationIgnored private let auth: Auth
  @ObservationIgnored package let authUI: FUIAuth

  init(_ services: ProductServices) {
    auth = services.auth
    authUI = services.authUI
  }

  package var providers: [any FUIAuthProvider] { authUI.providers }

  /// Signs in with email and password.
  package func signIn(password: String) async {
    await perform { try await self.auth.signIn(withEmail: self.email, password: password) }
  }

  /// Makes an account with email and password, and signs in.
  package func createAccount(password: String) async {
    await perform { try await self.auth.createUser(withEmail: self.email, password: password) }
  }

  /// Asks for a provider's page, which leads back to an address of the app.
  package func begin(_ providerID: String, continueURL: URL) async {
    guard let provider = authUI.providers.first(where: { $0.providerID == providerID }) else {
      return
    }
    await perform {
      self.providerPage = try await self.authUI.beginSignIn(
        with: provider,
        continueURL: continueURL
      )
    }
  }

  /// Signs in with the address that the provider's page led back to.
  package func finish(_ answer: URL) async {
    providerPage = nil
    await perform { try await self.authUI.finishSignIn(with: answer) }
  }

  /// Goes back from the provider's page without an account.
  package func cancel() {
    providerPage = nil
    authUI.cancelSignIn()
  }

  private func perform(_ body: @MainActor () async throws -> Void) async {
    guard !isBusy else { return }
    isBusy = true
    defer { isBusy = false }
    do {
      error = nil
      try await body()
    } catch {
      self.error = error.localizedDescription
    }
  }
}
