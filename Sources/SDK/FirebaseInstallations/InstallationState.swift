import Foundation

/// What is kept of an installation: its id, and its tokens once the server knows it.
struct InstallationState: Codable, Sendable, Equatable {
  /// The server's proof of the installation.
  struct Registration: Codable, Sendable, Equatable {
    var refreshToken: String
    var authToken: String
    var expirationDate: Date
  }

  var id: String
  var registration: Registration?

  /// Reads bytes; nil where they are damaged, so that another installation begins.
  static func decoded(_ data: Data?) -> InstallationState? {
    data.flatMap { try? JSONDecoder().decode(InstallationState.self, from: $0) }
  }

  func encoded() throws -> Data { try JSONEncoder().encode(self) }
}
