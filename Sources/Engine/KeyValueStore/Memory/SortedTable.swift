/// Keys and values in key order; a copy costs nothing until one of the two changes.
///
/// The entries lie in sorted chunks of bounded size, none of them empty, so that a change copies
/// one chunk and the list of chunks.
package struct SortedTable: Sendable {
  /// A key with its value.
  package struct Entry: Sendable {
    /// The entry's key; it never changes.
    package let key: [UInt8]
    /// The value that was put last.
    package fileprivate(set) var value: [UInt8]
  }

  /// A position among the entries; the end is the one after the last.
  package struct Position: Equatable, Sendable {
    fileprivate var chunk: Int
    fileprivate var offset: Int
  }

  private static let chunkLimit = 256

  private var chunks: [[Entry]] = []
  /// The number of entries; takes constant time.
  package private(set) var count = 0

  /// An empty table.
  package init() {}

  /// The entry at a position other than the end; traps if the table has none there.
  package subscript(position: Position) -> Entry {
    chunks[position.chunk][position.offset]
  }

  /// The first entry's position; the end if the table is empty.
  package var startPosition: Position { Position(chunk: 0, offset: 0) }
  /// The position after the last entry.
  package var endPosition: Position { Position(chunk: chunks.count, offset: 0) }

  /// The next entry's position, or the end; traps at the end.
  package func position(after position: Position) -> Position {
    let next = Position(chunk: position.chunk, offset: position.offset + 1)
    return next.offset < chunks[next.chunk].count
      ? next : Position(chunk: position.chunk + 1, offset: 0)
  }

  /// All keys, ascending.
  package var keys: some Sequence<[UInt8]> { chunks.lazy.joined().map(\.key) }

  /// Nil before the first entry.
  package func position(before position: Position) -> Position? {
    if position.offset > 0 {
      return Position(chunk: position.chunk, offset: position.offset - 1)
    }
    guard position.chunk > 0 else { return nil }
    return Position(chunk: position.chunk - 1, offset: chunks[position.chunk - 1].count - 1)
  }

  /// The position of the first entry whose key is at or above `key`.
  package func lowerBound(_ key: [UInt8]) -> Position {
    // The last chunk that begins at or below the key can hold it, all later ones begin above it.
    let following = Self.partitionPoint(chunks.count) {
      KeyOrder.compare(chunks[$0][0].key, key) > 0
    }
    guard following > 0 else { return startPosition }
    let chunk = following - 1
    let entries = chunks[chunk]
    let offset = Self.partitionPoint(entries.count) { KeyOrder.compare(entries[$0].key, key) >= 0 }
    return offset < entries.count
      ? Position(chunk: chunk, offset: offset) : Position(chunk: chunk + 1, offset: 0)
  }

  /// The first entry at or above a key.
  package func first(from key: [UInt8]) -> Entry? {
    let position = lowerBound(key)
    return position == endPosition ? nil : self[position]
  }

  /// The last entry below a key; the last of all where the key is nil.
  package func last(below key: [UInt8]?) -> Entry? {
    position(before: key.map(lowerBound) ?? endPosition).map { self[$0] }
  }

  /// The key's value, found in logarithmic time; nil if there is none.
  package func value(_ key: [UInt8]) -> [UInt8]? {
    let position = lowerBound(key)
    guard position != endPosition, self[position].key == key else { return nil }
    return self[position].value
  }

  /// Adds the key or replaces its value; copies at most one chunk and the list of chunks.
  package mutating func put(_ key: [UInt8], _ value: [UInt8]) {
    let position = lowerBound(key)
    if position != endPosition, self[position].key == key {
      chunks[position.chunk][position.offset].value = value
      return
    }
    insert(Entry(key: key, value: value), at: position)
    count += 1
  }

  /// Removes the key; does nothing if there is none.
  package mutating func remove(_ key: [UInt8]) {
    let position = lowerBound(key)
    guard position != endPosition, self[position].key == key else { return }
    chunks[position.chunk].remove(at: position.offset)
    if chunks[position.chunk].isEmpty {
      chunks.remove(at: position.chunk)
    }
    count -= 1
  }

  private mutating func insert(_ entry: Entry, at position: Position) {
    guard !chunks.isEmpty else {
      chunks = [[entry]]
      return
    }
    // A position at a chunk's start belongs to the chunk before it just as well; that one lets
    // ascending inserts fill the last chunk.
    var target = position
    if target.offset == 0, target.chunk > 0 {
      target = Position(chunk: target.chunk - 1, offset: chunks[target.chunk - 1].count)
    }
    chunks[target.chunk].insert(entry, at: target.offset)
    if chunks[target.chunk].count > Self.chunkLimit {
      split(target.chunk)
    }
  }

  private mutating func split(_ chunk: Int) {
    let middle = chunks[chunk].count / 2
    let upper = Array(chunks[chunk][middle...])
    chunks[chunk].removeSubrange(middle...)
    chunks.insert(upper, at: chunk + 1)
  }

  /// The first index in `0 ..< count` where the predicate holds, if it holds for all later ones.
  private static func partitionPoint(_ count: Int, _ holds: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return low
  }
}
