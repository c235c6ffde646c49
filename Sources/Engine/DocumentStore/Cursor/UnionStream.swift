/// The documents of several disjuncts in the query's order, each document once.
final class UnionStream {
  private let streams: [CandidateStream]
  /// Each stream's current key, nil at its end; kept only where there is something to merge.
  private var keys: [SortKey?]
  private var current = -1

  /// Merges streams that all run in the query's order.
  init(_ streams: [CandidateStream]) {
    self.streams = streams
    keys = streams.map { _ in SortKey() }
  }

  /// The stream whose candidate is the current document; valid after a move that answered true.
  var candidate: CandidateStream { streams[current] }

  /// Moves to the next document.
  func next() throws -> Bool {
    if streams.count == 1 {
      current = 0
      return try streams[0].next()
    }
    if current < 0 {
      for index in streams.indices { try advance(index) }
    } else if let done = keys[current]?.bytes {
      for index in streams.indices where keys[index]?.bytes == done { try advance(index) }
    }
    return chooseLeast()
  }

  private func advance(_ index: Int) throws {
    guard try streams[index].next() else {
      keys[index] = nil
      return
    }
    var key = keys[index].take() ?? SortKey()
    streams[index].copySortKey(to: &key)
    keys[index] = key
  }

  private func chooseLeast() -> Bool {
    var least: Int?
    for index in keys.indices {
      guard let key = keys[index] else { continue }
      if let best = least, let bytes = keys[best]?.bytes, !key.bytes.precedes(bytes) {
        // One of a document's candidates that is a result.
        guard key.bytes == bytes, streams[best].isMilestone, !streams[index].isMilestone
        else { continue }
      }
      least = index
    }
    current = least ?? -1
    return least != nil
  }
}
