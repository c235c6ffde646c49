import Foundation
import Observation
import RESTClient

/// The session of the signed-in user: the token and the patient's id, kept in a store between
/// launches.
///
/// When the service refuses the token, the session ends: there is no refresh token, so only the
/// person can obtain a new one.
@MainActor @Observable
package final class Session: TokenSource {
  package struct Credentials: Codable, Sendable, Equatable {
    package let token: String
    package let patientID: String
  }

  package private(set) var credentials: Credentials?
  @ObservationIgnored private let store: any CredentialStore

  package init(store: any CredentialStore) {
    self.store = store
    credentials = (try? store.value(Credentials.self)) ?? nil
  }

  package var isSignedIn: Bool { credentials != nil }

  package func begin(_ credentials: Credentials) throws {
    try store.keep(credentials)
    self.credentials = credentials
  }

  package func end() throws {
    try store.save(nil)
    credentials = nil
  }

  package func currentToken() -> String? { credentials?.token }

  package func renewToken(replacing rejected: String) throws -> String? {
    if credentials?.token == rejected { try end() }
    return nil
  }
}
