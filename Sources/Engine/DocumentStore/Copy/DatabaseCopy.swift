import BaseStatus
import BaseText
import FirestoreModel
import KeyValueStore

/// The making of a database as another one was at a version, in the background and across restarts.
///
/// FORMAT: `MetaKey.databaseCopy` of the new incarnation. The value is a `RecordWriter`'s: Fields:
/// 1 the source's project, 2 its database, 3 its incarnation, 4 the version, 5 the start and 6 the
/// end as versions (no end while it runs). Then 7 the number of documents copied, 8 the path of the
/// last one, 9 the reason of a failure, 10 the source backup, if there is one.
package struct DatabaseCopy: Sendable, Equatable {
  /// The database that is copied.
  package let source: DatabaseID
  let incarnation: Incarnation
  /// The ID of the backup that fills the database; nil for a copy from history.
  package internal(set) var backup: String?
  /// The version that is copied.
  package let version: CommitVersion
  /// The version at which the copy was requested.
  package let start: CommitVersion
  /// Nil while it runs.
  package internal(set) var end: CommitVersion?
  /// Documents copied so far.
  package internal(set) var documents = 0
  /// A sentence for people; nil where it did not fail.
  package internal(set) var failure: String?
  var last: ResourcePath?

  /// True for a restore that goes on, or was cut off.
  package var isUnfinishedRestore: Bool { backup != nil && end == nil }

  /// The state of a database that takes no writes, for people; nil where it takes them.
  package var state: String? {
    switch (backup, end, failure) {
    case (nil, nil, _): "is being cloned; takes no writes until then"
    case (_?, nil, _): "is being restored; takes no writes until then"
    case (_?, _?, let failure?): "was not restored and takes no writes: \(failure)"
    case (_, _?, _): nil
    }
  }

  /// The refusal of other writes than those of the copy; nil where the database takes them.
  func refusal(of id: DatabaseID) -> ServiceError? {
    switch (backup, end, failure) {
    case (nil, nil, _): .databaseIsBeingCopied(id)
    case (_?, nil, _): .databaseIsBeingRestored(id)
    case (_?, _?, let failure?): .databaseIsNotRestored(id, failure)
    case (_, _?, _): nil
    }
  }

  init(
    of source: DatabaseID,
    _ incarnation: Incarnation,
    at version: CommitVersion,
    start: CommitVersion
  ) {
    (self.source, self.incarnation) = (source, incarnation)
    (self.version, self.start) = (version, start)
  }
}

extension DatabaseCopy {
  /// The stored form.
  var record: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, source.project.string)
    writer.put(2, source.database.string)
    writer.put(3, Int64(incarnation))
    writer.put(4, version.microseconds)
    writer.put(5, start.microseconds)
    writer.put(6, end?.microseconds)
    writer.put(7, Int64(documents))
    writer.put(8, last?.string)
    writer.put(9, failure)
    writer.put(10, backup)
    return writer.bytes
  }

  /// Reads a stored copy.
  init(record: [UInt8]) throws {
    var reader = try RecordReader(record)
    var texts: [UInt8: String] = [:]
    var numbers: [UInt8: Int64] = [:]
    while let field = try reader.next() {
      switch field.tag {
      case 1, 2, 8, 9, 10: texts[field.tag] = try field.string()
      case 3...7: numbers[field.tag] = try field.number()
      default: continue
      }
    }
    self.init(
      of: DatabaseID(project: Text(texts[1] ?? ""), database: Text(texts[2] ?? "")),
      Incarnation(truncatingIfNeeded: numbers[3] ?? 0),
      at: CommitVersion(microseconds: numbers[4] ?? 0),
      start: CommitVersion(microseconds: numbers[5] ?? 0)
    )
    end = numbers[6].map { CommitVersion(microseconds: $0) }
    documents = Int(numbers[7] ?? 0)
    last = texts[8].map { ResourcePath($0.split(separator: "/").map { Text(String($0)) }) }
    failure = texts[9]
    backup = texts[10]
  }
}

/// One step of a copy: some documents of the source, committed as a client would.
struct CopyStep {
  let source: Database
  let target: Database

  /// Documents that one commit writes.
  private static let commitSize = 256

  /// Copies some documents behind the last one; true where these were all.
  func run(_ copy: inout DatabaseCopy) throws -> Bool {
    var query = Query(scope: .descendants)
    query.orders = [Order(.documentName)]
    query.start = copy.last.map {
      Cursor(values: [.reference(DocumentName(database: source.id, path: $0))], before: false)
    }
    let cursor = try source.query(query, consistency: .at(copy.version))
    let chunk = try cursor.next(maxDocuments: Self.commitSize)
    let writes = chunk.documents.map { record in
      Write(
        name: DocumentName(database: target.id, path: record.name.path),
        operation: .update(moved(record.fields), mask: nil)
      )
    }
    if !writes.isEmpty {
      let result = BlockingResult<CommitOutcome>()
      var proposal = CommitProposal(writes: writes)
      proposal.fill = copy.start
      target.commit(proposal) { result.set($0) }
      _ = try result.wait()
      copy.documents += writes.count
      copy.last = chunk.documents.last?.name.path
    }
    return chunk.isDone
  }

  /// The fields with references into the source leading to the same documents of the copy.
  private func moved(_ fields: DocumentFields) -> DocumentFields {
    guard fields.bytes.contains(Array("\(source.id.path)/".utf8)) else { return fields }
    return DocumentFields(encoding: moved(fields.decoded()))
  }

  private func moved(_ map: MapValue) -> MapValue {
    MapValue(map.entries.map { MapValue.Entry(key: $0.key, value: moved($0.value)) })
  }

  private func moved(_ value: Value) -> Value {
    switch value {
    case .reference(let name) where name.database == source.id:
      .reference(DocumentName(database: target.id, path: name.path))
    case .array(let values): .array(values.map(moved))
    case .map(let map): .map(moved(map))
    default: value
    }
  }
}
