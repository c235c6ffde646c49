/// A cursor over a sorted table that may change between moves.
final class MemoryCursor: KeyValueCursor {
  private enum Position {
    case before
    case at(SortedTable.Entry)
    case ended
  }

  private let source: () throws -> SortedTable
  private let range: KeyRange
  private let isReversed: Bool
  private var position = Position.before
  private var lentKey = LentBytes()
  private var lentValue = LentBytes()

  /// `source` answers the table as it is at each move.
  init(over range: KeyRange, reversed: Bool, source: @escaping () throws -> SortedTable) {
    self.range = range
    isReversed = reversed
    self.source = source
  }

  func next() throws -> Bool {
    let table = try source()
    switch position {
    case .before:
      return settle(
        isReversed
          ? table.last(below: range.upper)
          : table.first(from: range.lower)
      )
    case .at(let entry):
      return settle(
        isReversed
          ? table.last(below: entry.key)
          : table.first(from: entry.key + [0])
      )
    case .ended:
      return false
    }
  }

  func seek(_ key: [UInt8]) throws -> Bool {
    let table = try source()
    if isReversed {
      let isAbove = range.upper.map { KeyOrder.compare(key, $0) >= 0 } ?? false
      return settle(table.last(below: isAbove ? range.upper : key + [0]))
    }
    let isBelow = KeyOrder.compare(key, range.lower) < 0
    return settle(table.first(from: isBelow ? range.lower : key))
  }

  var key: UnsafeRawBufferPointer { lentKey.bytes }
  var value: UnsafeRawBufferPointer { lentValue.bytes }

  private func settle(_ entry: SortedTable.Entry?) -> Bool {
    guard let entry, contains(entry.key) else {
      position = .ended
      return false
    }
    position = .at(entry)
    lentKey.set(entry.key)
    lentValue.set(entry.value)
    return true
  }

  private func contains(_ key: [UInt8]) -> Bool {
    KeyOrder.compare(key, range.lower) >= 0
      && (range.upper.map { KeyOrder.compare(key, $0) < 0 } ?? true)
  }
}

/// Bytes at an address that stays put until they are set again.
private final class LentBytes {
  private var storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(storage) }

  func set(_ bytes: [UInt8]) {
    storage.deallocate()
    storage = .allocate(byteCount: bytes.count, alignment: 1)
    storage.copyBytes(from: bytes)
  }

  deinit {
    storage.deallocate()
  }
}
