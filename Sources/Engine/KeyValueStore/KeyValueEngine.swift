/// An ordered key-value store with consistent reads and atomic, durable groups of writes.
///
/// Keys and values are bytes; keys sort as `memcmp` sorts them. A key is not empty and does not
/// begin with 0x00: those keys are the engine's own, no cursor shows them. Any thread may call; reads
/// and `write` block.
///
/// **Writes.** Groups run one after the other, each with the writes that wait when it begins (see
/// `WriteQueue`). A write is atomic by itself, a group becomes visible and durable as a whole.
///
/// **Values.** No value is empty: `put` refuses it. A key that says all there is to say has a
/// marker for a value (`putMarker`). Data of earlier versions may hold empty values; a get and a
/// cursor return them. A read that may not touch the disk answers `.incomplete` for them, since an
/// engine may use an empty value for an unknown one.
///
/// **Time.** The engine hands out versions (microseconds since the epoch, strictly increasing,
/// across restarts and clock steps) and read times. A read at time T sees every commit with a
/// version at or below T, and no later group ever allocates a version at or below a read time that
/// was handed out. A ceiling at most one second ahead of both is durable before they are used.
package protocol KeyValueEngine: AnyObject, Sendable {
  /// Runs `body` on a consistent view. The view ends with the call; keep it short. One thread at a
  /// time uses it.
  func read<R>(_ body: (any KeyValueSnapshot) throws -> R) throws -> R

  /// Runs `body` on a view that touches no disk and makes at most `steps` gets and moves of cursors.
  ///
  /// Nil where that is not enough; the view's calls throw `NotInMemory` then, which the body lets
  /// through.
  func readInMemory<R>(
    steps: Int,
    _ body: (any KeyValueSnapshot) throws -> R
  ) throws -> R?

  /// Hands a write to the engine's queue, where those that wait at the same time share one group.
  ///
  /// A write that began and failed throws `KeyValueError.outcomeUnknown`, and every later one
  /// `KeyValueError.stopped` until the engine has recovered. An engine that recovers, or is closed in
  /// an orderly way, drops the failed one for good; after a crash it may be in force.
  func submit(_ write: QueuedWrite)

  /// True if the caller runs in the body or completion of a write, where it must not wait for
  /// another.
  var isWritingThread: Bool { get }

  /// A point read of the newest durable value without a snapshot. With `cachedOnly` the call never
  /// touches the disk and says `.incomplete` where it would have to.
  func get(_ key: [UInt8], cachedOnly: Bool) throws -> PointRead

  /// Another number after each group of writes; nil while one lands, and if it is unknown.
  ///
  /// A value that was read after a mark is the result of a read for as long as there is the same
  /// mark.
  var stateMark: Int? { get }

  /// The number of this engine among those that may have the same store open; nil for one that has
  /// its store alone.
  var nodeNumber: NodeNumber? { get }

  /// Registers an observer of other engines' writes in some ranges of keys; it receives nothing
  /// while the engine has its store alone.
  ///
  /// If other engines may have the store open, the observer is notified before this returns that
  /// nothing is known. Observers are never removed.
  func observeOthers(in ranges: [KeyRange], _ observer: @escaping OtherWritesObserver) throws

  /// Calls back when observers have received all that was durable when this was called; at once if
  /// the engine has its store alone.
  ///
  /// Calls that wait at the same time share one question to the store. The body must not block. It
  /// receives the failure if the outcome is unknown.
  func whenCurrent(_ body: @escaping @Sendable (Result<Void, any Error>) -> Void)

  /// Says that somebody writes mass data until the result is dropped: the engine may put off work on it that others would
  /// have to wait for, at some cost of their reads.
  func beginBulkWriting() -> BulkWriting

  /// Counters and sizes for metrics, by Prometheus-style name.
  func statistics() -> [String: Double]

  /// Flushes and closes; later calls throw. Called once, when no other call is running.
  func close() throws
}

extension KeyValueEngine {
  /// Nil: the engine cannot tell that nothing was written.
  package var stateMark: Int? { nil }

  /// Nil: the engine has its store alone.
  package var nodeNumber: NodeNumber? { nil }

  /// True if other engines may have the same store open.
  package var isShared: Bool { nodeNumber != nil }

  /// Does nothing: no other engine writes a store that the engine has alone.
  package func observeOthers(in ranges: [KeyRange], _ observer: @escaping OtherWritesObserver) {}

  /// Changes nothing: the engine has no such work.
  package func beginBulkWriting() -> BulkWriting { BulkWriting() }

  /// Calls back at once, with success: there are no others.
  package func whenCurrent(_ body: @escaping @Sendable (Result<Void, any Error>) -> Void) {
    body(.success(()))
  }
}

/// A view in memory cannot continue: the disk would have to be read, or its steps are used up.
package struct NotInMemory: Error, Sendable {
  /// An error without further detail.
  package init() {}
}

/// The answer of a point read.
package enum PointRead: Sendable {
  case found([UInt8])
  case missing
  /// Only the disk knows.
  case incomplete

  /// True unless only the disk knows the value.
  package var isComplete: Bool {
    if case .incomplete = self { false } else { true }
  }
}

/// The reads that a view or a group offers.
package protocol KeyValueReader: AnyObject {
  /// The value, copied.
  func get(_ key: [UInt8]) throws -> [UInt8]?

  /// The values of many keys, in their order: for each what `get` of it alone answers or throws.
  func get(_ keys: [[UInt8]]) throws -> [Result<[UInt8]?, any Error>]

  /// A cursor over the keys of `range`, before its first key (after its last one when `reversed`).
  func cursor(over range: KeyRange, reversed: Bool) throws -> any KeyValueCursor
}

extension KeyValueReader {
  /// Reads one key after another; engines that can read many at once do so.
  package func get(_ keys: [[UInt8]]) throws -> [Result<[UInt8]?, any Error>] {
    keys.map { key in Result { try get(key) } }
  }
}

/// A consistent view of the durable state.
package protocol KeyValueSnapshot: KeyValueReader {
  /// The read time of this view: it holds exactly the commits with a version at or below it.
  ///
  /// Decided when first asked for, the same ever after. A view opened after another view's read
  /// time was handed out never gets a lower one. At most once a second, and only when no group
  /// landed for a while, the call waits for one fsync.
  func readTime() throws -> Int64

  /// The read time if it needs no fsync, else nil.
  func cachedReadTime() throws -> Int64?

  /// The value in this view, if it can be had without touching the disk.
  func getCached(_ key: [UInt8]) throws -> PointRead
}

/// One group of writes; reads see the group's own earlier writes, those of other authors too.
package protocol KeyValueGroup: KeyValueReader {
  /// Bytes of the keys and values that the group writes, and of the keys that it deletes.
  var byteCount: Int { get }

  /// A version above every version and read time handed out so far. One commit takes one.
  func allocateVersion() throws -> Int64

  /// Writes a value, which must not be empty.
  func put(_ key: [UInt8], _ value: [UInt8]) throws
  /// Removes a key; it is no error if there is none.
  func delete(_ key: [UInt8]) throws

  /// Marks a point to roll back to; savepoints nest.
  func setSavepoint() throws
  /// Undoes every put and delete since the last savepoint, which it removes.
  func rollbackToSavepoint() throws
  /// Removes the last savepoint and keeps what was written since.
  func releaseSavepoint() throws
}

extension KeyValueGroup {
  /// Writes a key whose presence is all that counts; its value is one byte, zero.
  package func putMarker(_ key: [UInt8]) throws { try put(key, [0]) }
}

/// Walks keys in order.
///
/// Buffers are lent until the next move or, in a group, its next write. A group's cursor sees at
/// each move the group's writes up to then; its current key may be deleted or rolled back. A cursor
/// ends with its view or group and must not outlive it.
package protocol KeyValueCursor: AnyObject {
  /// Moves to the next key in the cursor's direction; false at the end of the range.
  func next() throws -> Bool

  /// Moves to the first key at or beyond `key` in the cursor's direction, within the range.
  func seek(_ key: [UInt8]) throws -> Bool

  /// The current key; valid after a move that answered true.
  var key: UnsafeRawBufferPointer { get }
  /// The current value; valid after a move that answered true.
  var value: UnsafeRawBufferPointer { get }
}

/// Keys from `lower`, included, to `upper`, excluded; nil is no bound.
package struct KeyRange: Sendable, Hashable {
  /// The first key included; empty is the first key of all.
  package var lower: [UInt8]
  /// The first key beyond the range.
  package var upper: [UInt8]?

  /// Keys in `lower ..< upper`.
  package init(lower: [UInt8], upper: [UInt8]?) {
    self.lower = lower
    self.upper = upper
  }

  /// All keys that begin with the prefix.
  package init(prefix: [UInt8]) {
    lower = prefix
    upper = Self.successor(ofPrefix: prefix)
  }

  /// Returns true if a key lies in the range.
  package func contains(_ key: UnsafeRawBufferPointer) -> Bool {
    KeyOrder.compare(key, lower) >= 0 && (upper.map { KeyOrder.compare(key, $0) < 0 } ?? true)
  }

  /// The same for a key of ours.
  package func contains(_ key: [UInt8]) -> Bool { key.withUnsafeBytes { contains($0) } }

  /// The least key above every key with that prefix; nil when there is none (all 0xFF).
  package static func successor(ofPrefix prefix: [UInt8]) -> [UInt8]? {
    var bytes = prefix
    while let last = bytes.popLast() {
      if last < 0xFF {
        bytes.append(last + 1)
        return bytes
      }
    }
    return nil
  }
}
