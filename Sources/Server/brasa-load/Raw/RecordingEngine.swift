import KeyValueStore
import Synchronization

/// An engine in memory that records the writes of each group, and keeps only the store's own
/// records: definitions, the catalog, and the existing collections.
///
/// The store above it believes that every document is new, so that each commit shows the keys and
/// values that creating it costs.
final class RecordingEngine: EngineWrapper {
  typealias Pairs = [(key: [UInt8], value: [UInt8])]

  /// Key spaces below this byte, and the directory's, are kept.
  private static let documents: UInt8 = 0x10
  private static let directory: ClosedRange<UInt8> = 0x40...0x41

  let base: any KeyValueEngine = MemoryEngine()
  private let pairs = Mutex<Pairs>([])

  /// Returns the pairs that were put since the last call.
  func take() -> Pairs {
    pairs.withLock { pairs in
      defer { pairs = [] }
      return pairs
    }
  }

  fileprivate func note(_ key: [UInt8], _ value: [UInt8]) -> Bool {
    pairs.withLock { $0.append((key, value)) }
    let space = key.first ?? 0
    return space < Self.documents || Self.directory.contains(space)
  }

  func submit(_ write: QueuedWrite) {
    base.submit(
      QueuedWrite(write.priority) { group in
        try write.body(RecordingGroup(base: group, engine: self))
      } completion: { outcome in
        write.completion(outcome)
      }
    )
  }
}

/// A group of the recording engine.
private final class RecordingGroup: KeyValueGroup {
  private let base: any KeyValueGroup
  private let engine: RecordingEngine

  init(base: any KeyValueGroup, engine: RecordingEngine) {
    self.base = base
    self.engine = engine
  }

  var byteCount: Int { base.byteCount }

  func put(_ key: [UInt8], _ value: [UInt8]) throws {
    if engine.note(key, value) { try base.put(key, value) }
  }

  func delete(_ key: [UInt8]) throws { try base.delete(key) }
  func get(_ key: [UInt8]) throws -> [UInt8]? { try base.get(key) }
  func allocateVersion() throws -> Int64 { try base.allocateVersion() }
  func setSavepoint() throws { try base.setSavepoint() }
  func rollbackToSavepoint() throws { try base.rollbackToSavepoint() }
  func releaseSavepoint() throws { try base.releaseSavepoint() }

  func cursor(over range: KeyRange, reversed: Bool) throws -> any KeyValueCursor {
    try base.cursor(over: range, reversed: reversed)
  }
}
