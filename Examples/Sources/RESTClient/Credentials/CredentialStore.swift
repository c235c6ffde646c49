import Foundation

/// Keeps one secret between launches: a session, a pair of tokens.
package protocol CredentialStore: Sendable {
  func load() throws -> Data?
  /// Replaces what is kept; nil forgets it.
  func save(_ secret: Data?) throws
}

extension CredentialStore {
  /// Returns the kept value, decoded; nil when there is nothing or it is of another version.
  package func value<Value: Decodable>(_ type: Value.Type) throws -> Value? {
    try load().flatMap { try? JSONDecoder().decode(Value.self, from: $0) }
  }

  package func keep(_ value: (some Encodable)?) throws {
    try save(value.map { try JSONEncoder().encode($0) })
  }
}
