import Synchronization

/// Compressed bytes of recently served small files, within a bound.
///
/// There are two generations: when the newer one is full it becomes the older.
package final class ContentMemory: Sendable {
  private struct State {
    var new: [ContentHash: [UInt8]] = [:]
    var old: [ContentHash: [UInt8]] = [:]
    var bytes = 0
  }

  private let state = Mutex(State())
  private let limit: Int
  private static let entryBytes = 100
  /// The largest content that is kept.
  package static let largest = 256 << 10

  init(bytes limit: Int) { self.limit = limit / 2 }

  /// The bytes of a content, if memory has them.
  package subscript(hash: ContentHash) -> [UInt8]? {
    state.withLock { state in
      if let bytes = state.new[hash] { return bytes }
      guard let bytes = state.old[hash] else { return nil }
      Self.keep(bytes, hash, &state, limit)
      return bytes
    }
  }

  func keep(_ bytes: [UInt8], of hash: ContentHash) {
    guard bytes.count <= Self.largest else { return }
    state.withLock { Self.keep(bytes, hash, &$0, limit) }
  }

  private static func keep(
    _ bytes: [UInt8],
    _ hash: ContentHash,
    _ state: inout State,
    _ limit: Int
  ) {
    // An entry takes room beside its bytes.
    let size = bytes.count + entryBytes
    if state.bytes + size > limit { state = State(old: state.new) }
    if state.new.updateValue(bytes, forKey: hash) == nil { state.bytes += size }
  }
}
