/// The time in which somebody writes mass data; it ends with the object.
package final class BulkWriting: Sendable {
  private let end: @Sendable () -> Void

  /// A time at whose end the body is called.
  package init(end: @escaping @Sendable () -> Void = {}) { self.end = end }

  deinit { end() }
}
