import BaseStatus
import BaseText
import FirestoreModel
import KeyValueStore

extension Database {
  /// Returns true if the state at an earlier version can still be distinguished from the one at a
  /// later version: history reaches that far back, or nothing was committed in between.
  package func remembers(_ earlier: CommitVersion, until later: CommitVersion) throws -> Bool {
    guard earlier <= later, earlier >= historyFloor else { return false }
    do {
      return try engine.read { snapshot in
        guard !isRetired else { throw ServiceError.unknownDatabase(id) }
        let now = try snapshot.readTime()
        if earlier.microseconds >= now - configuration.retention { return true }
        return try !commits(after: earlier, through: later, in: snapshot).next()
      }
    } catch {
      throw ServiceError.storage(error)
    }
  }

  /// The documents of collections with an id (nil: of all) that commits above one version and up to
  /// another have changed, each once; nil where there are more than `limit` changes.
  package func changedDocuments(
    inCollections id: Text?,
    after earlier: CommitVersion,
    through later: CommitVersion,
    limit: Int
  ) throws -> [ResourcePath]? {
    do {
      return try engine.read { snapshot in
        guard !isRetired else { throw ServiceError.unknownDatabase(self.id) }
        let ids = try id.map { [$0] } ?? collections(after: earlier, through: later, in: snapshot)
        var changed = ChangedPaths(limit: limit)
        for id in ids {
          try read(changesOf: id, after: earlier, through: later, in: snapshot, into: &changed)
          if changed.isOverfull { return nil }
        }
        return changed.paths
      }
    } catch {
      throw ServiceError.storage(error)
    }
  }

  /// Paths as the change log has them.
  private struct ChangedPaths {
    let limit: Int
    var paths: [ResourcePath] = []
    var seen: Set<ResourcePath> = []
    var changes = 0

    var isOverfull: Bool { changes > limit }

    mutating func add(_ path: ResourcePath) {
      if seen.insert(path).inserted { paths.append(path) }
    }
  }

  private func read(
    changesOf id: Text,
    after earlier: CommitVersion,
    through later: CommitVersion,
    in reader: any KeyValueReader,
    into changed: inout ChangedPaths
  ) throws {
    let prefix = ChangeKey.prefix(id, in: incarnation)
    var lower = prefix
    lower.append(earlier.next)
    var upper = prefix
    upper.append(later.next)
    let range = KeyRange(lower: lower, upper: upper)
    let cursor = try reader.cursor(over: range, reversed: false)
    while try cursor.next() {
      changed.changes += 1
      if changed.isOverfull { return }
      changed.add(try cursor.value(as: .change, in: reader).path)
    }
  }

  private func collections(
    after earlier: CommitVersion,
    through later: CommitVersion,
    in reader: any KeyValueReader
  ) throws -> [Text] {
    var ids: Set<Text> = []
    let cursor = try commits(after: earlier, through: later, in: reader)
    while try cursor.next() {
      ids.formUnion(try cursor.value(as: .commit, in: reader).collectionIDs)
    }
    return ids.sorted()
  }

  private func commits(
    after earlier: CommitVersion,
    through later: CommitVersion,
    in reader: any KeyValueReader
  ) throws -> any KeyValueCursor {
    let range = KeyRange(
      lower: CommitKey.bytes(earlier.next, in: incarnation),
      upper: CommitKey.bytes(later.next, in: incarnation)
    )
    return try reader.cursor(over: range, reversed: false)
  }
}
