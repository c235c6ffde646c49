import Foundation

/// The part of a session that is kept: JSON with the number of the format's version.
///
/// Readers refuse versions that they do not know; the session is then as if there were none, until the
/// next sign-in replaces it.
struct StoredSession: Codable, Sendable {
  static let version = 1

  var version = StoredSession.version
  let tokens: SessionTokens
  let profile: UserProfile

  /// Reads bytes; throws where they are damaged or of another version.
  init(decoding data: Data) throws {
    self = try JSONDecoder().decode(StoredSession.self, from: data)
    guard version == Self.version else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "The session is of version \(version).")
      )
    }
  }

  init(tokens: SessionTokens, profile: UserProfile) {
    self.tokens = tokens
    self.profile = profile
  }

  func encoded() throws -> Data { try JSONEncoder().encode(self) }

  /// Returns the id of the user in a session's bytes; nil for damaged ones.
  static func uid(in data: Data?) -> String? {
    data.flatMap { try? StoredSession(decoding: $0).profile.uid }
  }
}
