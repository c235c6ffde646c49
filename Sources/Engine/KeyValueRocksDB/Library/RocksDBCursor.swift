import CRocksDB
import KeyValueStore

/// A cursor over an iterator of the library.
///
/// The iterator is made by its owner, a view or a group, with the range's bounds set where the
/// library takes them; the cursor checks them again because a batch of writes has none. One thread
/// at a time, like its owner.
final class RocksDBCursor: KeyValueCursor {
  private enum Position {
    case before
    /// The iterator is on a key.
    case on
    /// The owner wrote while the cursor was on this key.
    case displaced([UInt8])
    case ended
  }

  let range: KeyRange
  private let isReversed: Bool
  private let owner: any CursorOwner
  private let options: OpaquePointer
  private let bounds: Bounds
  private var iterator: OpaquePointer?
  private var position = Position.before
  private(set) var key = UnsafeRawBufferPointer(start: nil, count: 0)

  init(over range: KeyRange, reversed: Bool, owner: any CursorOwner) {
    // The engine's own keys lie below 0x01.
    let lower = range.lower.first.map { $0 == 0 } ?? true ? [1] : range.lower
    self.range = KeyRange(lower: lower, upper: range.upper)
    self.owner = owner
    isReversed = reversed
    bounds = Bounds(self.range)
    options = owner.makeReadOptions()
    bounds.set(in: options)
    owner.cursorOpened(self)
  }

  deinit {
    owner.cursorClosed(self)
    discardIterator()
    rocksdb_readoptions_destroy(options)
  }

  func next() throws -> Bool {
    try owner.cursorWillMove()
    let iterator = liveIterator()
    switch position {
    case .before:
      startAtEdge(of: iterator)
    case .on:
      isReversed ? rocksdb_iter_prev(iterator) : rocksdb_iter_next(iterator)
    case .displaced(let key):
      moveOff(key, iterator)
    case .ended:
      return false
    }
    return try settle(iterator)
  }

  func seek(_ key: [UInt8]) throws -> Bool {
    try owner.cursorWillMove()
    let iterator = liveIterator()
    let isBeyondEdge =
      isReversed
      ? range.upper.map { isOrdered($0, atOrBelow: key) } ?? false
      : isOrdered(key, atOrBelow: range.lower)
    if isBeyondEdge {
      startAtEdge(of: iterator)
    } else if isReversed {
      key.withChars { rocksdb_iter_seek_for_prev(iterator, $0, $1) }
    } else {
      key.withChars { rocksdb_iter_seek(iterator, $0, $1) }
    }
    return try settle(iterator)
  }

  var value: UnsafeRawBufferPointer {
    guard case .on = position else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    var count = 0
    let chars = rocksdb_iter_value(iterator, &count)
    return UnsafeRawBufferPointer(start: chars, count: count)
  }

  /// The owner is about to write: the key that the iterator is on may go away.
  func ownerWillWrite(discardingIterator: Bool) {
    if case .on = position {
      position = .displaced(Array(key))
      key = UnsafeRawBufferPointer(start: nil, count: 0)
    }
    if discardingIterator {
      discardIterator()
    }
  }

  private func liveIterator() -> OpaquePointer {
    if let iterator { return iterator }
    let made = owner.makeIterator(options, over: range)
    iterator = made
    return made
  }

  private func discardIterator() {
    if let iterator {
      rocksdb_iter_destroy(iterator)
    }
    iterator = nil
  }

  private func startAtEdge(of iterator: OpaquePointer) {
    guard isReversed else {
      range.lower.withChars { rocksdb_iter_seek(iterator, $0, $1) }
      return
    }
    guard let upper = range.upper else {
      rocksdb_iter_seek_to_last(iterator)
      return
    }
    upper.withChars { rocksdb_iter_seek_for_prev(iterator, $0, $1) }
    stepOff(upper, iterator)
  }

  private func moveOff(_ key: [UInt8], _ iterator: OpaquePointer) {
    key.withChars {
      isReversed
        ? rocksdb_iter_seek_for_prev(iterator, $0, $1) : rocksdb_iter_seek(iterator, $0, $1)
    }
    stepOff(key, iterator)
  }

  /// Moves on if the iterator is on exactly that key.
  private func stepOff(_ key: [UInt8], _ iterator: OpaquePointer) {
    guard rocksdb_iter_valid(iterator) != 0, KeyOrder.compare(Self.key(of: iterator), key) == 0
    else {
      return
    }
    isReversed ? rocksdb_iter_prev(iterator) : rocksdb_iter_next(iterator)
  }

  private func settle(_ iterator: OpaquePointer) throws -> Bool {
    position = .ended
    key = UnsafeRawBufferPointer(start: nil, count: 0)
    guard rocksdb_iter_valid(iterator) != 0 else {
      try checkEnd(of: iterator)
      return false
    }
    let found = Self.key(of: iterator)
    guard KeyOrder.compare(found, range.lower) >= 0,
      range.upper.map({ KeyOrder.compare(found, $0) < 0 }) ?? true
    else { return false }
    key = found
    position = .on
    return true
  }

  /// Throws if the iterator stopped for another reason than the end.
  private func checkEnd(of iterator: OpaquePointer) throws {
    do {
      try rocksCall { rocksdb_iter_get_error(iterator, $0) }
    } catch {
      if error.isIncomplete { throw NotInMemory() }
      throw error
    }
  }

  private func isOrdered(_ left: [UInt8], atOrBelow right: [UInt8]) -> Bool {
    KeyOrder.compare(left, right) <= 0
  }

  private static func key(of iterator: OpaquePointer) -> UnsafeRawBufferPointer {
    var count = 0
    let chars = rocksdb_iter_key(iterator, &count)
    return UnsafeRawBufferPointer(start: chars, count: count)
  }
}

/// The owner of a cursor, which makes its iterators and knows about writes beneath them.
protocol CursorOwner: AnyObject {
  /// Options of the cursor's own, which it destroys.
  func makeReadOptions() -> OpaquePointer
  func makeIterator(_ options: OpaquePointer, over range: KeyRange) -> OpaquePointer
  /// Throws where a move is one too many.
  func cursorWillMove() throws
  func cursorOpened(_ cursor: RocksDBCursor)
  func cursorClosed(_ cursor: RocksDBCursor)
}

/// A range's bounds at addresses that outlive the iterators which look at them.
private final class Bounds {
  private let lower: UnsafeMutableBufferPointer<UInt8>
  private let upper: UnsafeMutableBufferPointer<UInt8>?

  init(_ range: KeyRange) {
    lower = Self.copy(range.lower)
    upper = range.upper.map(Self.copy)
  }

  deinit {
    lower.deallocate()
    upper?.deallocate()
  }

  func set(in options: OpaquePointer) {
    rocksdb_readoptions_set_iterate_lower_bound(options, Self.chars(lower), lower.count)
    if let upper {
      rocksdb_readoptions_set_iterate_upper_bound(options, Self.chars(upper), upper.count)
    }
  }

  private static func copy(_ bytes: [UInt8]) -> UnsafeMutableBufferPointer<UInt8> {
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(bytes.count, 1))
    _ = buffer.initialize(from: bytes)
    return UnsafeMutableBufferPointer(rebasing: buffer[..<bytes.count])
  }

  private static func chars(_ buffer: UnsafeMutableBufferPointer<UInt8>) -> UnsafePointer<CChar>? {
    UnsafeRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self)
  }
}
