import Foundation

/// The store of an app's state of one product between runs, as one piece of bytes.
///
/// Several processes may use one store at the same time.
package protocol StateStore: Sendable {
  /// The bytes that are kept; nil where there are none.
  func read() throws -> Data?

  /// Replaces the stored value with the result of `change`, as one step among all processes; nil
  /// removes it.
  func update(_ change: (Data?) throws -> Data?) throws
}
