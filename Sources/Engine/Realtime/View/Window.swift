import FirestoreModel

/// The first results of a limited query and some more, so that one that leaves can be replaced
/// without reading.
///
/// Invariant: the entries are the first of all matches at the hub's version, in order; with
/// `isComplete` they are all. Only keys are kept, no documents.
struct Window {
  private let offset: Int
  /// Nil shows everything behind the offset.
  private let limit: Int?
  private(set) var entries: [WindowEntry]
  private var isComplete: Bool

  /// A window over the matches of a query.
  init(_ query: NormalizedQuery, content: WindowContent) {
    offset = query.offset
    limit = query.limit
    entries = content.entries
    isComplete = content.isComplete
  }

  /// Returns the number of matches with which a window over a query begins; nil means all.
  static func size(of query: NormalizedQuery) -> Int? {
    query.limit.map { query.offset + $0 + slack($0) }
  }

  private static func slack(_ limit: Int) -> Int { max(8, limit / 4) }

  /// The entries that clients see.
  var visible: ArraySlice<WindowEntry> {
    let start = min(offset, entries.count)
    let end = limit.map { min(offset + $0, entries.count) } ?? entries.count
    return entries[start..<end]
  }

  /// True if entries are missing that only the index knows.
  var needsRefill: Bool {
    guard let limit, !isComplete else { return false }
    return entries.count < offset + limit
  }

  /// Takes a document's change: where it was, and where it is now.
  mutating func apply(old: WindowEntry?, new: WindowEntry?) {
    if let old, old.key == new?.key { return }
    if let old {
      let index = lowerBound(old.key)
      if index < entries.count, entries[index].key == old.key { entries.remove(at: index) }
    }
    guard let new else { return }
    let index = lowerBound(new.key)
    // Behind the last entry there may be others that are not known.
    guard index < entries.count || isComplete else { return }
    entries.insert(new, at: index)
    trim()
  }

  private mutating func trim() {
    guard let limit else { return }
    let kept = offset + limit + Self.slack(limit)
    guard entries.count > kept + Self.slack(limit) else { return }
    entries.removeLast(entries.count - kept)
    isComplete = false
  }

  private func lowerBound(_ key: [UInt8]) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key.lexicographicallyPrecedes(key) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
