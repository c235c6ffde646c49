import NIOCore

/// A limit on how often a client may do something in ten seconds.
///
/// `NIOHTTP2Handler` has the same by remembering the time of each event, and for that takes eight
/// bytes an event that is allowed, of every connection, before there is any.
struct RateLimit {
  private static let period = TimeAmount.seconds(10)

  private let limit: Int
  private var count = 0
  private var end = NIODeadline.uptimeNanoseconds(0)

  init(_ limit: Int) { self.limit = limit }

  /// Counts so many events; false when there are too many.
  mutating func admit(_ events: Int) -> Bool {
    guard events > 0 else { return true }
    let now = NIODeadline.now()
    if now >= end {
      end = now + Self.period
      count = 0
    }
    count += events
    return count <= limit
  }
}
