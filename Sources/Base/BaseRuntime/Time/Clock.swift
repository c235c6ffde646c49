/// The wall clock that versions and read times follow: microseconds since the Unix epoch.
///
/// It may step back or stop; engines keep their own time from going backwards.
package struct MicrosecondClock: Sendable {
  private let read: @Sendable () -> Int64

  /// A clock that answers what `read` answers.
  package init(_ read: @escaping @Sendable () -> Int64) {
    self.read = read
  }

  /// Microseconds since the Unix epoch; a later call may give less.
  package func now() -> Int64 {
    read()
  }

  /// The machine's clock as the process believes it.
  package static let system = WallClock.process.clock
}
