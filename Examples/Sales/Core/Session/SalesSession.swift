import Foundation
import Observation
import RESTClient

/// The session of the signed-in user: the pair of tokens, kept in a store between launches.
///
/// A refused access token is exchanged for a new one with the refresh token; when that is refused
/// too, the session ends.
@MainActor @Observable
package final class SalesSession: TokenSource {
  private var token: Token?
  @ObservationIgnored private let store: any CredentialStore
  @ObservationIgnored private let service: any TokenService

  package init(store: any CredentialStore, service: any TokenService) {
    self.store = store
    self.service = service
    token = (try? store.value(Token.self)) ?? nil
  }

  package var isSignedIn: Bool { token != nil }

  package func signIn(email: String, password: String) async throws {
    let token = try await service.token(email: email, password: password)
    try keep(token)
  }

  package func signOut() throws {
    try store.save(nil)
    token = nil
  }

  package func currentToken() -> String? { token?.access }

  /// A token service that cannot be reached leaves the session as it is.
  package func renewToken(replacing rejected: String) async throws -> String? {
    guard let old = token else { return nil }
    do {
      let new = try await service.token(refreshing: old.refresh)
      try keep(new)
      return new.access
    } catch let error as RequestError where !error.isTemporary {
      try signOut()
      return nil
    }
  }

  private func keep(_ token: Token) throws {
    try store.keep(token)
    self.token = token
  }
}
