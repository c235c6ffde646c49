import Synchronization

/// The headers that name a project to push services, each made once in 12 hours.
///
/// One entry for each key and origin, at most `capacity` of them. Beyond that all are dropped,
/// since recreating them costs one signature each.
package final class VAPIDTokens: Sendable {
  private struct Purpose: Hashable {
    let publicKey: [UInt8]
    let subject: String
    let origin: String
  }

  private struct Entry {
    let header: String
    /// The time at which it is renewed, in seconds since 1970.
    let renewal: Int

    func isCurrent(_ now: Int) -> Bool { renewal > now && renewal <= now + VAPIDTokens.use }
  }

  /// The time for which a header is used, in seconds.
  static let use = 12 * 3_600
  /// The time for which a header is valid, in seconds; RFC 8292 allows a day.
  static let validity = 18 * 3_600

  private let capacity: Int
  private let entries = Mutex<[Purpose: Entry]>([:])

  /// A cache of that many headers.
  package init(capacity: Int = 1_024) { self.capacity = capacity }

  /// The header for requests to `origin` at the instant `now`, in seconds since 1970.
  ///
  /// Also recreated if the clock went back before the time when the header was created.
  package func authorization(_ pair: VAPIDPair, origin: String, now: Int) throws -> String {
    let purpose = Purpose(publicKey: pair.publicKey, subject: pair.subject, origin: origin)
    if let entry = entries.withLock({ $0[purpose] }), entry.isCurrent(now) { return entry.header }
    let header = try pair.authorization(origin: origin, expiry: now + Self.validity)
    return entries.withLock { entries in
      // The first caller to create one at that time wins.
      if let entry = entries[purpose], entry.isCurrent(now) { return entry.header }
      if entries.count >= capacity { entries.removeAll() }
      entries[purpose] = Entry(header: header, renewal: now + Self.use)
      return header
    }
  }
}
