import KeyValueStore
import Synchronization

/// Erases the keys of retired incarnations, some at a time.
///
/// The remaining work is in the store (`MetaKey.retired`), so erasing continues after a restart.
/// Memory holds only the point where the last step ended, so that the next does not wade through
/// what was just deleted.
final class IncarnationEraser: Sendable {
  private struct Position {
    var incarnation: Incarnation
    var key: [UInt8]
  }

  private let engine: any KeyValueEngine
  private let position = Mutex<Position?>(nil)
  /// True if anything may be retired; a look into the store decides.
  private static let stepSize = 2_000

  init(engine: any KeyValueEngine) { self.engine = engine }

  /// Deletes some keys of one retired incarnation; answers whether there is more to do.
  func step() throws -> Bool {
    guard let incarnation = try engine.read({ try Self.firstRetired(in: $0) }) else { return false }
    let keys = try engine.read { try nextKeys(of: incarnation, in: $0) }
    try engine.write(.background) { group in
      for key in keys { try group.delete(key) }
      if keys.isEmpty { try finish(incarnation, in: group) }
    }
    position.withLock { position in
      position = keys.last.map { Position(incarnation: incarnation, key: $0) }
    }
    return true
  }

  private static func firstRetired(in reader: any KeyValueReader) throws -> Incarnation? {
    let cursor = try reader.cursor(over: KeyRange(prefix: MetaKey.retired), reversed: false)
    guard try cursor.next() else { return nil }
    return MetaKey.incarnation(ofKey: cursor.key)
  }

  private func nextKeys(
    of incarnation: Incarnation,
    in reader: any KeyValueReader
  ) throws -> [[UInt8]] {
    let start = position.withLock { $0?.incarnation == incarnation ? $0?.key : nil } ?? []
    var keys: [[UInt8]] = []
    for space in KeySpace.perDatabase {
      var range = KeyRange(prefix: space.prefix(incarnation))
      if range.lower.lexicographicallyPrecedes(start) { range.lower = start }
      if let upper = range.upper, !range.lower.lexicographicallyPrecedes(upper) { continue }
      let cursor = try reader.cursor(over: range, reversed: false)
      while keys.count < Self.stepSize, try cursor.next() { keys.append([UInt8](cursor.key)) }
    }
    return keys
  }

  private func finish(_ incarnation: Incarnation, in group: any KeyValueGroup) throws {
    var keys: [[UInt8]] = []
    for prefix in [MetaKey.indexes(incarnation), MetaKey.bulkDeletions(of: incarnation)] {
      let cursor = try group.cursor(over: KeyRange(prefix: prefix), reversed: false)
      while try cursor.next() { keys.append([UInt8](cursor.key)) }
    }
    for key in keys { try group.delete(key) }
    try group.delete(MetaKey.databaseCopy(incarnation))
    try group.delete(MetaKey.historyFloor(incarnation))
    try group.delete(MetaKey.retired(incarnation))
  }
}
