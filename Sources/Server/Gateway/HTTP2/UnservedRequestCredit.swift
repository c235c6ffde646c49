import NIOCore

/// The amount of work without effect that a connection may cause while its callers have shown no
/// credentials.
///
/// It is counted in frames. A request costs `request` of them when it is opened, and more if its
/// headers are large, and returns them when it is served. A request that is refused, reset or left
/// unfinished keeps the cost, and so does every other frame, unless it carries data or makes room for
/// more (`usefulBytes`). The credit grows again with time, the more slowly the more connections of
/// one network have used theirs up (`CreditShares`). If it is used up, the connection is not read
/// until it has grown: a client that only makes work is slowed down, and disconnected if it
/// continues for long.
struct UnservedRequestCredit {
  /// The cost of a request: about its work compared with a small frame.
  static let request = 32
  /// The size of DATA, or of room that a WINDOW_UPDATE gives back, from which a frame costs nothing: uploads and downloads are
  /// made of such frames.
  static let usefulBytes = 1 << 10
  /// The size of headers up to which a request costs no more than that.
  private static let usualHeaderBytes = 2 << 10
  /// The size of headers beyond it that costs as much as a frame.
  private static let headerBytesOfFrame = 32
  /// The number of connections of one network up to which each one's credit grows at its full rate.
  static let unsharedConnections = 2

  /// The cost of a request's headers beside `request`.
  ///
  /// It goes by their size once they are decoded, since a few bytes of HPACK can stand for large
  /// headers that the connection has sent before.
  static func cost(ofHeaderBytes bytes: Int) -> Int {
    max(0, bytes - usualHeaderBytes) / headerBytesOfFrame
  }

  private let most: Int
  private let intervalNanoseconds: Int64
  private var left: Int
  /// The time since which it has been used up, without half of it having come back.
  private(set) var usedUpSince: NIODeadline?
  /// The time up to which the growth is in `left`.
  private var counted: NIODeadline

  /// A full credit for so many requests, which grows by so many a second.
  init(requests: Int, perSecond: Int, now: NIODeadline = .now()) {
    counted = now
    most = requests * Self.request
    left = most
    intervalNanoseconds = 1_000_000_000 / Int64(max(1, perSecond * Self.request))
  }

  /// Takes the cost of this many frames; true if nothing is left then.
  ///
  /// - Parameter sharers: The number of connections of the client's network that are out of credit.
  mutating func spend(_ frames: Int, at now: NIODeadline, sharers: Int = 1) -> Bool {
    if left == most { counted = now }
    if left <= frames { grow(until: now, sharers) }
    left -= frames
    if left <= 0, usedUpSince == nil { usedUpSince = now }
    if left > most / 2 { usedUpSince = nil }
    return left <= 0
  }

  /// True if half of the credit or more is used up.
  var isLow: Bool { left <= most / 2 }

  /// The time until something is left of a credit that is used up.
  func timeToGrow(sharers: Int) -> TimeAmount {
    .nanoseconds(Int64(max(0, 1 - left)) * interval(sharers))
  }

  private func interval(_ sharers: Int) -> Int64 {
    let least = Self.unsharedConnections
    return intervalNanoseconds * Int64(max(least, sharers)) / Int64(least)
  }

  private mutating func grow(until now: NIODeadline, _ sharers: Int) {
    let grown = (now - counted).nanoseconds / interval(sharers)
    guard grown > 0 else { return }
    left = Int(min(Int64(most), Int64(left) + grown))
    counted = now
  }

  /// Returns the cost of a request that was served and whose headers had that cost.
  mutating func giveBack(headerCost: Int = 0) { giveBack(frames: Self.request + headerCost) }

  /// Returns the cost of frames.
  mutating func giveBack(frames: Int) {
    left = min(most, left + frames)
    if left > most / 2 { usedUpSince = nil }
  }
}
