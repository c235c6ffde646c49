/// An engine around another one: it passes calls that it does not change to the other.
package protocol EngineWrapper: KeyValueEngine {
  /// The engine below.
  var base: any KeyValueEngine { get }
}

extension EngineWrapper {
  /// Runs the body on a view of the engine below.
  package func read<R>(_ body: (any KeyValueSnapshot) throws -> R) throws -> R {
    try base.read(body)
  }

  /// Runs the body on a view in memory of the engine below.
  package func readInMemory<R>(
    steps: Int,
    _ body: (any KeyValueSnapshot) throws -> R
  ) throws -> R? {
    try base.readInMemory(steps: steps, body)
  }

  /// Hands the write to the queue of the engine below, unchanged.
  package func submit(_ write: QueuedWrite) { base.submit(write) }

  /// True on the writing thread of the engine below.
  package var isWritingThread: Bool { base.isWritingThread }

  /// A point read of the engine below.
  package func get(_ key: [UInt8], cachedOnly: Bool) throws -> PointRead {
    try base.get(key, cachedOnly: cachedOnly)
  }

  /// The mark of the engine below.
  package var stateMark: Int? { base.stateMark }

  /// The number of the engine below; nil if that has its store alone.
  package var nodeNumber: NodeNumber? { base.nodeNumber }

  /// Registers the observer with the engine below.
  package func observeOthers(
    in ranges: [KeyRange],
    _ observer: @escaping OtherWritesObserver
  ) throws {
    try base.observeOthers(in: ranges, observer)
  }

  /// Calls back when the engine below does.
  package func whenCurrent(_ body: @escaping @Sendable (Result<Void, any Error>) -> Void) {
    base.whenCurrent(body)
  }

  /// Tells the engine below.
  package func beginBulkWriting() -> BulkWriting { base.beginBulkWriting() }

  /// The counters of the engine below, without any of the wrapper's own.
  package func statistics() -> [String: Double] { base.statistics() }

  /// Closes the engine below.
  package func close() throws { try base.close() }
}
