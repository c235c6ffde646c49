import DocumentStore
import FirestoreModel

/// What differs between a query's results at two versions, found by asking it at both.
struct DifferenceMerge {
  private let database: Database
  private let base: CommitVersion
  private let version: CommitVersion
  private let cursor: QueryCursor
  /// Results of the earlier version that the later one has not shown yet.
  private var vanished: Set<ResourcePath> = []

  /// Reads the earlier results' names at once.
  init(
    _ query: NormalizedQuery,
    in database: Database,
    from base: CommitVersion,
    to version: CommitVersion
  ) throws {
    self.database = database
    self.base = base
    self.version = version
    cursor = try database.query(query, consistency: .at(version))
    let earlier = try database.query(query, consistency: .at(base))
    var isDone = false
    while !isDone {
      let names = try earlier.nextNames()
      vanished.formUnion(names.paths)
      isDone = names.isDone
    }
  }

  /// Adds the next results that are new or changed; at the end those that are gone.
  mutating func pull(into part: inout ReadPart, maxBytes: Int) throws {
    let chunk = try cursor.next(maxBytes: maxBytes)
    for record in chunk.documents {
      let wasResult = vanished.remove(record.name.path) != nil
      if wasResult, record.updateTime <= base { continue }
      let document = SharedDocument(name: record.name, record: record)
      part.items.append(ReadPart.Item(document: document, isResult: true))
    }
    part.isDone = chunk.isDone
    guard chunk.isDone else { return }
    for path in vanished.sorted() {
      let document = SharedDocument(
        name: DocumentName(database: database.id, path: path),
        record: try database.get(path, at: .at(version))
      )
      part.items.append(ReadPart.Item(document: document, isResult: false))
    }
  }
}
