import Foundation

/// Where an app's session is kept between runs.
///
/// Its bytes are those of ``StoredSession``. Several processes may use one store at the same time.
package protocol SessionStore: Sendable {
  /// The bytes that are kept; nil where there is no session.
  func read() throws -> Data?

  /// Replaces what is kept by what `change` makes of it, as one step among all processes; nil removes it.
  func update(_ change: (Data?) throws -> Data?) throws
}
