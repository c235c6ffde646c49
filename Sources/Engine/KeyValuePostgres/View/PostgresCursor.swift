import KeyValueStore

/// A cursor over the tables, and over its group's writes on top of them.
///
/// One thread at a time, like its view or group, which it must not outlive.
final class PostgresCursor: KeyValueCursor {
  private enum Position {
    case before
    case at([UInt8])
    case ended
  }

  private let range: KeyRange
  private let isReversed: Bool
  private let written: () -> SortedTable?
  private var pages: RowPages
  private var position = Position.before
  private(set) var key = UnsafeRawBufferPointer(start: nil, count: 0)
  private(set) var value = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Bytes that `key` and `value` lend where they are the group's.
  private var lent: UnsafeMutableRawBufferPointer?

  /// `written` returns the group's writes up to then; a deleted key has an empty value.
  init(
    over range: KeyRange,
    reversed: Bool,
    reader: TableReader,
    written: @escaping () -> SortedTable? = { nil }
  ) {
    self.range = range
    isReversed = reversed
    self.written = written
    pages = RowPages(of: range, reversed: reversed, reader: reader)
  }

  deinit { lent?.deallocate() }

  func next() throws -> Bool {
    switch position {
    case .before: try move(from: isReversed ? range.upper : range.lower)
    case .at(let key): try move(from: edge(behind: key))
    case .ended: false
    }
  }

  func seek(_ key: [UInt8]) throws -> Bool {
    guard isReversed else {
      return try move(from: KeyOrder.compare(key, range.lower) < 0 ? range.lower : key)
    }
    let isAbove = range.upper.map { KeyOrder.compare(key, $0) >= 0 } ?? false
    return try move(from: isAbove ? range.upper : key + [0])
  }

  /// Moves to the first key at or above the edge, or to the last one below it when reversed.
  private func move(from edge: [UInt8]?) throws -> Bool {
    var edge = edge
    while true {
      let stored = try pages.first(from: edge)
      let own = written().flatMap { first(of: $0, from: edge) }
      guard let own, isNearer(own.key, than: stored) else {
        guard let stored else { return end() }
        (key, value) = (stored.key, stored.value)
        position = .at(Array(stored.key))
        return true
      }
      guard own.value.isEmpty else {
        lend(own)
        position = .at(own.key)
        return true
      }
      edge = self.edge(behind: own.key)
    }
  }

  private func end() -> Bool {
    position = .ended
    (key, value) = (.init(start: nil, count: 0), .init(start: nil, count: 0))
    return false
  }

  /// Returns the edge at which the keys behind a key begin.
  private func edge(behind key: [UInt8]) -> [UInt8] { isReversed ? key : key + [0] }

  /// The group's write hides a stored row with the same key.
  private func isNearer(_ own: [UInt8], than stored: RowPages.Row?) -> Bool {
    guard let stored else { return true }
    let order = KeyOrder.compare(stored.key, own)
    return isReversed ? order <= 0 : order >= 0
  }

  private func first(of table: SortedTable, from edge: [UInt8]?) -> SortedTable.Entry? {
    let entry = isReversed ? table.last(below: edge) : table.first(from: edge ?? [])
    return entry.flatMap { range.contains($0.key) ? $0 : nil }
  }

  private func lend(_ entry: SortedTable.Entry) {
    lent?.deallocate()
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: entry.key.count + entry.value.count,
      alignment: 1
    )
    bytes.copyBytes(from: entry.key + entry.value)
    lent = bytes
    let all = UnsafeRawBufferPointer(bytes)
    key = UnsafeRawBufferPointer(rebasing: all[..<entry.key.count])
    value = UnsafeRawBufferPointer(rebasing: all[entry.key.count...])
  }
}
