/// An engine around another one: what it does not do in a way of its own is the other's.
package protocol EngineWrapper: KeyValueEngine {
  /// The engine below.
  var base: any KeyValueEngine { get }
}

extension EngineWrapper {
  package func read<R>(_ body: (any KeyValueSnapshot) throws -> R) throws -> R {
    try base.read(body)
  }

  package func readInMemory<R>(
    steps: Int,
    _ body: (any KeyValueSnapshot) throws -> R
  ) throws -> R? {
    try base.readInMemory(steps: steps, body)
  }

  package func submit(_ write: QueuedWrite) { base.submit(write) }

  package var isWritingThread: Bool { base.isWritingThread }

  package func get(_ key: [UInt8], cachedOnly: Bool) throws -> PointRead {
    try base.get(key, cachedOnly: cachedOnly)
  }

  package var stateMark: Int? { base.stateMark }

  package var nodeNumber: NodeNumber? { base.nodeNumber }

  package func observeOthers(
    in ranges: [KeyRange],
    _ observer: @escaping OtherWritesObserver
  ) throws {
    try base.observeOthers(in: ranges, observer)
  }

  package func whenCurrent(_ body: @escaping @Sendable (Result<Void, any Error>) -> Void) {
    base.whenCurrent(body)
  }

  package func statistics() -> [String: Double] { base.statistics() }

  package func close() throws { try base.close() }
}
