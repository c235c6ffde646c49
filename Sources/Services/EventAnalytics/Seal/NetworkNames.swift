import Synchronization

/// The number of names of events, new on a day, that each network has brought to an app.
///
/// It is only in memory and restarts with the process, like the counts of bytes. Any thread may
/// call.
final class NetworkNames: Sendable {
  /// A network's part of an app's day.
  struct Part: Hashable {
    let project: UInt32
    let day: EventDay
    /// Nil where all apps of a project share one budget.
    let app: UInt32?
    /// `EventSender.networkMark`.
    let network: UInt64
  }

  private let counts = Mutex<[Part: Int]>([:])
  private let limit: Int

  /// Counts of at most so many parts are kept.
  init(limit: Int = 65_536) { self.limit = limit }

  /// The names that a network has brought.
  func count(_ part: Part) -> Int { counts.withLock { $0[part] ?? 0 } }

  /// Adds the contents of a segment, once it is sealed.
  func add(_ brought: [Part: Int]) {
    counts.withLock { counts in
      counts.merge(brought, uniquingKeysWith: +)
      guard counts.count > limit else { return }
      // The networks that brought the least are forgotten.
      let kept = counts.sorted { $0.value > $1.value }.prefix(limit / 2)
      counts = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
  }
}

/// A sender as far as it matters for the names that it may bring.
struct NameSender {
  let standing: SenderStanding
  /// `EventSender.networkMark`; nil for a sender with an administrator's credentials, which has no
  /// share.
  let network: UInt64?
  /// True for an installation that the project first saw on the day on which the batch came.
  let isNew: Bool
}
