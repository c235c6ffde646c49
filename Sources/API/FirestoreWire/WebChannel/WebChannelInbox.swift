import BaseStatus

/// The maps that a WebChannel client sends, put into their order.
///
/// Maps are numbered from 0 over the whole session. Requests may overtake each other and are sent
/// again when their response was lost: a map is delivered once, when all before it have been.
/// Messages that arrive early are held, up to a bound.
package struct WebChannelInbox: Sendable {
  private let maximumHeldBytes: Int
  private var next = 0
  private var early: [Int: [UInt8]?] = [:]
  /// The bytes of the maps that came too early.
  package private(set) var heldBytes = 0

  /// Holds at most that many bytes of maps that came too early.
  package init(maximumHeldBytes: Int) { self.maximumHeldBytes = maximumHeldBytes }

  /// Takes the maps of a request; gives the messages whose turn it is.
  ///
  /// Throws RESOURCE_EXHAUSTED where too much came too early.
  package mutating func receive(_ form: WebChannelForm) throws(ServiceError) -> [[UInt8]] {
    for (number, map) in zip(form.offset..., form.maps) where number >= next {
      // A repeated message is the same.
      guard early[number] == nil else { continue }
      early[number] = .some(map)
      heldBytes += Self.cost(map)
    }
    var ready: [[UInt8]] = []
    while let map = early.removeValue(forKey: next) {
      heldBytes -= Self.cost(map)
      next += 1
      if let map { ready.append(map) }
    }
    guard heldBytes <= maximumHeldBytes else {
      throw ServiceError(.resourceExhausted, "Too many messages arrived out of order.")
    }
    return ready
  }

  private static func cost(_ map: [UInt8]?) -> Int { (map?.count ?? 0) + 64 }
}
