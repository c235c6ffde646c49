import BaseStatus
import FirestoreModel
import KeyValueStore

extension Database {
  /// Lends a view at that time.
  ///
  /// Refuses versions that are too old or in the future. `check` is asked while the body reads much.
  package func read<R>(
    _ time: ReadTime,
    check: WorkCheck? = nil,
    _ body: (ReadView) throws -> R
  ) throws -> R {
    let lease = writer.documents.lease()
    return try engine.read { snapshot in
      let now = CommitVersion(microseconds: try snapshot.readTime())
      guard !isRetired else { throw ServiceError.unknownDatabase(id) }
      switch time {
      case .now:
        return try body(
          ReadView(snapshot, at: now, isCurrent: true, lease: lease, check: check)
        )
      case .at(let version):
        try checkReadable(version, now: now)
        let isCurrent = try version == now || !hasCommits(after: version, in: snapshot)
        return try body(
          ReadView(snapshot, at: version, isCurrent: isCurrent, lease: lease, check: check)
        )
      }
    }
  }

  /// Lends a view at a version if memory alone can answer its reads in this many steps; otherwise
  /// nil.
  ///
  /// For threads that must not block. Refuses versions that are too old or in the future.
  package func readInMemory<R>(
    at version: CommitVersion,
    steps: Int,
    _ body: (ReadView) throws -> R
  ) throws -> R? {
    let lease = writer.documents.lease()
    return try engine.readInMemory(steps: steps) { snapshot in
      let now = CommitVersion(microseconds: try snapshot.readTime())
      guard !isRetired else { throw ServiceError.unknownDatabase(id) }
      try checkReadable(version, now: now)
      do {
        let isCurrent = try version == now || !hasCommits(after: version, in: snapshot)
        return try body(ReadView(snapshot, at: version, isCurrent: isCurrent, lease: lease))
      } catch let error where Self.isForTheDisk(error) {
        throw NotInMemory()
      }
    }
  }

  /// Lends a view of the newest state if memory alone can answer its reads in this many steps;
  /// otherwise nil.
  ///
  /// For threads that must not block.
  package func readInMemory<R>(steps: Int, _ body: (ReadView) throws -> R) throws -> R? {
    let lease = writer.documents.lease()
    return try engine.readInMemory(steps: steps) { snapshot in
      let now = CommitVersion(microseconds: try snapshot.readTime())
      guard !isRetired else { throw ServiceError.unknownDatabase(id) }
      do {
        return try body(ReadView(snapshot, at: now, isCurrent: true, lease: lease))
      } catch let error where Self.isForTheDisk(error) {
        throw NotInMemory()
      }
    }
  }

  /// Returns true if a read in memory has to be repeated by one that may touch the disk: memory
  /// lacked the data, or its copy looked damaged, which only the disk can confirm.
  static func isForTheDisk(_ error: any Error) -> Bool {
    error is NotInMemory || (error as? KeyValueError)?.code == .corruption
  }

  /// The document at a view's version; nil when there was none.
  package func document(_ key: DocumentKey, in view: ReadView) throws -> StoredDocument? {
    if let live = try view.liveDocument(key.bytes), live.updateTime <= view.version { return live }
    guard !view.isCurrent else { return nil }
    let range = KeyRange(
      lower: key.historyKey(to: view.version.next),
      upper: KeyRange.successor(ofPrefix: key.historyPrefix)
    )
    let cursor = try view.reader.cursor(over: range, reversed: false)
    guard try cursor.next() else { return nil }
    let record = try cursor.value(as: .document, in: view.reader)
    return record.updateTime <= view.version ? record : nil
  }

  /// The document at a path, at that time; nil when there was none.
  package func get(_ path: ResourcePath, at time: ReadTime = .now) throws -> DocumentRecord? {
    let key = DocumentKey(path, in: incarnation)
    let name = DocumentName(database: id, path: path)
    do {
      if case .now = time {
        let answer = try newestDocument(key, cachedOnly: false)
        // Asked afterwards: nothing of a database is erased before it is retired.
        guard !isRetired else { throw ServiceError.unknownDatabase(id) }
        guard case .found(let stored) = answer else { return nil }
        return stored.record(name: name)
      }
      return try read(time) { try document(key, in: $0)?.record(name: name) }
    } catch {
      throw ServiceError.storage(error)
    }
  }

  /// Returns what memory alone knows of the newest state; never touches the disk.
  package func getCached(_ path: ResourcePath) -> CachedDocument {
    let key = DocumentKey(path, in: incarnation)
    guard let answer = try? newestDocument(key, cachedOnly: true), !isRetired
    else { return .unknown }
    switch answer {
    case .missing: return .missing
    case .unknown: return .unknown
    case .found(let stored):
      return .found(stored.record(name: DocumentName(database: id, path: path)))
    }
  }

  private enum NewestDocument {
    case found(StoredDocument)
    case missing
    case unknown
  }

  private func newestDocument(_ key: DocumentKey, cachedOnly: Bool) throws -> NewestDocument {
    let lease = writer.documents.lease()
    if let known = lease.document(key.bytes) { return .found(known) }
    let stored: StoredDocument
    if cachedOnly {
      guard odds.gets.shouldTry() else { return .unknown }
      let answer = try engine.get(key.bytes, cachedOnly: true)
      odds.gets.note(success: answer.isComplete)
      switch answer {
      case .missing: return .missing
      case .incomplete: return .unknown
      case .found(let value): stored = try StoredDocument(value: value)
      }
    } else {
      guard let found = try engine.get(key.bytes, as: .document) else { return .missing }
      stored = found
    }
    lease.keep(stored, key.bytes)
    return .found(stored)
  }

  /// A version that holds everything that was durable when this was called.
  package func readTime() throws -> CommitVersion {
    do {
      return CommitVersion(microseconds: try engine.read { try $0.readTime() })
    } catch {
      throw ServiceError.storage(error)
    }
  }

  /// The time of a request: whole milliseconds, never above the version of a commit that follows.
  package func requestTime() throws -> Timestamp {
    try readTime().timestamp.truncatedToMilliseconds
  }

  /// Returns true if a commit with a version above this one has changed something.
  package func hasCommits(
    after version: CommitVersion,
    in reader: any KeyValueReader
  ) throws -> Bool {
    let range = KeyRange(
      lower: CommitKey.bytes(version.next, in: incarnation),
      upper: KeyRange.successor(ofPrefix: KeySpace.commit.prefix(incarnation))
    )
    return try reader.cursor(over: range, reversed: false).next()
  }

  private func checkReadable(_ version: CommitVersion, now: CommitVersion) throws {
    guard version <= now else { throw ServiceError.readTimeInFuture }
    let oldest = now.microseconds - retention
    guard version.microseconds >= oldest, version >= historyFloor
    else { throw ServiceError.readTimeTooOld }
  }
}

/// The knowledge that memory alone has of a document.
package enum CachedDocument: Sendable {
  case found(DocumentRecord)
  case missing
  /// Only the disk, or a proper read, can tell.
  case unknown
}
