/// When photos in question are looked into again after something went wrong: after a second, then twice as long each time,
/// nine times, which is eight and a half minutes in all.
///
/// One wait at a time. What is still in question then stays so until something happens: a change, the connection coming
/// back, the next start.
package struct PhotoRetries {
  private static let most = 9
  private var made = 0
  private var isWaiting = false

  package init() {}

  /// Returns the time to wait; nil if a wait is in progress, or there were enough.
  package mutating func next() -> Duration? {
    guard !isWaiting, made < Self.most else { return nil }
    isWaiting = true
    defer { made += 1 }
    return .seconds(1 << made)
  }

  /// The wait is over.
  package mutating func begin() { isWaiting = false }

  /// All has been answered, or there is a new reason to ask.
  package mutating func reset() { made = 0 }
}
