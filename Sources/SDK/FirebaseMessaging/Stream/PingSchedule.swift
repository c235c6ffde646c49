/// The times at which the client sends pings, so that the network in between does not drop the
/// stream.
///
/// Pure. It begins with 55 seconds. Two pings in a row without trouble double the next stream's
/// interval, up to nine minutes; a stream that breaks halves it, down to the first value. The
/// interval of a stream is fixed: the server receives it at the beginning and waits for two and a
/// half of them.
struct PingSchedule: Sendable, Equatable {
  private static let range = 55...540
  private static let quietPings = 2

  /// The seconds between pings of the next stream.
  private(set) var seconds = range.lowerBound
  private var quiet = 0

  /// A ping got a response; returns true if the stream should be reopened with a longer interval.
  mutating func pingWasAnswered() -> Bool {
    quiet += 1
    guard quiet >= Self.quietPings, seconds < Self.range.upperBound else { return false }
    quiet = 0
    seconds = min(seconds * 2, Self.range.upperBound)
    return true
  }

  /// The stream broke.
  mutating func streamBroke() {
    quiet = 0
    seconds = max(seconds / 2, Self.range.lowerBound)
  }
}
