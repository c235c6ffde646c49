import FirestoreModel
import KeyValueStore

/// The version below which a database's history may have been removed, as it is stored
/// (`MetaKey.historyFloor`, 8 bytes).
enum HistoryFloor {
  /// The stored floor; zero before the first sweep.
  static func read(
    _ incarnation: Incarnation,
    in reader: any KeyValueReader
  ) throws -> CommitVersion {
    guard let value = try reader.get(MetaKey.historyFloor(incarnation)) else { return .zero }
    var position = 0
    guard let bits = value.withUnsafeBytes({ readBigEndian($0, at: &position) }) else {
      throw KeyValueError(.corruption, "a history floor is shorter than a version")
    }
    return CommitVersion(microseconds: Int64(bitPattern: bits))
  }

  /// Stores the floor with the removals that it announces.
  static func write(
    _ version: CommitVersion,
    _ incarnation: Incarnation,
    in group: any KeyValueGroup
  ) throws {
    var value: [UInt8] = []
    value.append(version)
    try group.put(MetaKey.historyFloor(incarnation), value)
  }
}
