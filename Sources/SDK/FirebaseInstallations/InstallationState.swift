import Foundation

/// The state that is kept of an installation: its id, and its tokens once the server knows it.
struct InstallationState: Codable, Sendable, Equatable {
  /// The server's proof of the installation.
  struct Registration: Codable, Sendable, Equatable {
    var refreshToken: String
    var authToken: String
    var expirationDate: Date
  }

  var id: String
  /// The secret that proves the id to be this installation's while the server does not know it; nil
  /// for ids of older versions.
  var secret: String?
  var registration: Registration?

  init(id: String, secret: String? = nil, registration: Registration? = nil) {
    (self.id, self.secret, self.registration) = (id, secret, registration)
  }

  /// Another installation, which the server does not know.
  static func new() -> InstallationState {
    let secret = InstallationSecret.random()
    return InstallationState(id: secret.id, secret: secret.text)
  }

  /// Reads bytes; nil where they are damaged, so that another installation begins.
  static func decoded(_ data: Data?) -> InstallationState? {
    data.flatMap { try? JSONDecoder().decode(InstallationState.self, from: $0) }
  }

  func encoded() throws -> Data { try JSONEncoder().encode(self) }
}
