import FirestoreModel
import KeyValueStore

// The memory of a store that other engines write too.

extension Databases {
  /// The key ranges that memory depends on: everything in the document databases except the data
  /// that is only ever read from the engine.
  static let observedRanges =
    [MetaKey.catalog, MetaKey.retired, MetaKey.historyFloors, MetaKey.allIndexes]
    .map(KeyRange.init(prefix:))
    + [KeySpace.document, .change, .commit, .collectionsOfParent, .parentsOfCollection]
    .map { KeyRange(prefix: [$0.rawValue]) }

  /// The first bytes of the keys on which no memory depends: index entries, history, kept answers.
  package static let unobservedFirstBytes: Set<UInt8> = Set(
    KeySpace.perDatabase.map(\.rawValue).filter { first in
      !observedRanges.contains { $0.contains([first]) }
    }
  )

  /// Updates memory with others' writes, and notifies the observer of their commits.
  func othersWrote(_ writes: OtherWrites, _ reader: any KeyValueReader) throws {
    switch writes {
    case .unknown:
      writer.othersWrote(nil)
      for database in openDatabases { database.forgetGroup() }
      try readDefinitions(reader)
      tellObserver { $0.missedCommits() }
    case .groups(let groups):
      let keys = WrittenKeys(groups)
      writer.othersWrote(keys.documents)
      let databases = openDatabases
      for database in databases where keys.incarnations.contains(database.incarnation) {
        database.forgetGroup()
      }
      if keys.hasDefinitions { try readDefinitions(reader) }
      tellObserver { publish(keys, of: databases, reader, to: $0) }
    }
  }

  /// Follows the definitions of the databases that are open; those that have ended are retired.
  private func readDefinitions(_ reader: any KeyValueReader) throws {
    noteDefinitionsChanged()
    for database in openDatabases {
      if try DatabaseCatalog.incarnation(of: database.id, in: reader) == database.incarnation {
        try database.readDefinitions(reader)
      } else {
        ended(database.id, database.incarnation)
      }
    }
  }

  private func publish(
    _ keys: WrittenKeys,
    of databases: [Database],
    _ reader: any KeyValueReader,
    to observer: any CommitObserver
  ) {
    var isWhole = true
    observer.groupCommitted(through: keys.version) {
      do {
        let commits = try OtherCommits(keys.changes, of: databases, reader)
        isWhole = commits.isWhole
        return commits.published
      } catch {
        isWhole = false
        return []
      }
    }
    if !isWhole { observer.missedCommits() }
  }
}

extension Database {
  /// Reads the index definitions, and the history's floor and length, again.
  fileprivate func readDefinitions(_ reader: any KeyValueReader) throws {
    indexes.replace(with: try IndexStorage.load(incarnation, reader))
    raiseHistoryFloor(to: try HistoryFloor.read(incarnation, in: reader))
    setRecoversPast(try DatabaseCatalog.recoversPast(id, in: reader))
  }
}

/// The keys that groups wrote, by what depends on them.
struct WrittenKeys {
  /// The last version of the last group.
  private(set) var version = CommitVersion.zero
  private(set) var documents: [[UInt8]] = []
  /// The keys of the change log.
  private(set) var changes: [[UInt8]] = []
  /// In which something was written.
  private(set) var incarnations: Set<Incarnation> = []
  private(set) var hasDefinitions = false

  init(_ groups: [OtherWrites.Group]) {
    for group in groups {
      version = CommitVersion(microseconds: group.version)
      for key in group.keys { add(key) }
    }
  }

  private mutating func add(_ key: [UInt8]) {
    guard let space = key.first.flatMap(KeySpace.init(rawValue:)) else { return }
    switch space {
    case .meta: return hasDefinitions = true
    case .document: documents.append(key)
    case .change: changes.append(key)
    default: break
    }
    if let incarnation = KeySpace.incarnation(ofKey: key) { incarnations.insert(incarnation) }
  }
}
