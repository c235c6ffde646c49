import KeyValueStore

/// Reads documents in the order of their keys with one cursor, instead of with a get for each.
///
/// One thread at a time, while the view is open that the cursor belongs to.
final class OrderedReads {
  /// Documents that are skipped one by one to reach the next one asked for; behind more of them, a search is cheaper.
  private static let mostSkipped = 4

  private let range: KeyRange
  private let cursor: any KeyValueCursor
  private var isPlaced = false
  private var isDone = false

  /// Reads within a range: from the first key that will be asked for to the last one.
  init(_ range: KeyRange, in reader: any KeyValueReader) throws {
    self.range = range
    cursor = try reader.cursor(over: range, reversed: false)
  }

  /// Returns true if a key may be asked for.
  func covers(_ key: [UInt8]) -> Bool { range.contains(key) }

  /// The value of a key above all that were asked for before; nil where there is none.
  func value(of key: [UInt8]) throws -> [UInt8]? {
    var skipped = 0
    while !isDone {
      let order = isPlaced ? KeyOrder.compare(cursor.key, key) : -1
      if order > 0 { return nil }
      if order == 0 { return [UInt8](cursor.value) }
      let isFar = !isPlaced || skipped == Self.mostSkipped
      isDone = try !(isFar ? cursor.seek(key) : cursor.next())
      isPlaced = true
      skipped += 1
    }
    return nil
  }
}
