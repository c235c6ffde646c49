import DocumentStore
import FirestoreModel

/// The difference between a query's results at two versions, found slice by slice by running it at
/// both.
struct DifferenceMerge {
  private let database: Database
  private let base: CommitVersion
  private let version: CommitVersion
  private let later: QueryCursor
  /// Nil once its names are all known.
  private var earlier: QueryCursor?
  /// Results of the earlier version that the later one has not shown yet.
  private var vanished: Set<ResourcePath> = []
  /// The same in order, backwards, once the later version has shown all.
  private var gone: [ResourcePath]?
  /// About how much memory the names take.
  private(set) var heldBytes = 0

  /// Begins to ask; reads nothing yet.
  init(
    _ query: NormalizedQuery,
    in database: Database,
    from base: CommitVersion,
    to version: CommitVersion
  ) throws {
    self.database = database
    self.base = base
    self.version = version
    later = try database.query(query, consistency: .at(version))
    earlier = try database.query(query, consistency: .at(base))
  }

  /// Does one slice: it takes in earlier names, then adds later results that are new or changed, then those that
  /// are gone; the last part says that it is.
  mutating func pull(into part: inout ReadPart, _ slice: ReadSlice) throws {
    defer { part.heldBytes = heldBytes }
    if let cursor = earlier {
      try takeNames(of: cursor, slice)
    } else if let paths = gone {
      try tell(gone: paths, into: &part, slice)
    } else {
      try tellResults(into: &part, slice)
    }
  }

  private mutating func takeNames(of cursor: QueryCursor, _ slice: ReadSlice) throws {
    let names = try cursor.nextNames(max: slice.steps, slice: slice.steps)
    vanished.formUnion(names.paths)
    heldBytes = names.paths.reduce(heldBytes) { $0 + Self.size(of: $1) }
    if names.isDone { earlier = nil }
  }

  private static func size(of path: ResourcePath) -> Int {
    path.segments.reduce(64) { $0 + 16 + $1.byteCount }
  }

  private mutating func tellResults(into part: inout ReadPart, _ slice: ReadSlice) throws {
    let chunk = try later.next(maxBytes: slice.bytes, slice: slice.steps)
    for record in chunk.documents {
      let wasResult = vanished.remove(record.name.path) != nil
      if wasResult, record.updateTime <= base { continue }
      let document = SharedDocument(name: record.name, record: record)
      part.items.append(ReadPart.Item(document: document, isResult: true))
    }
    guard chunk.isDone else { return }
    part.isDone = vanished.isEmpty
    gone = vanished.sorted().reversed()
    vanished = []
  }

  /// Every one of them is read: it may be there still and match no more.
  private mutating func tell(
    gone paths: [ResourcePath],
    into part: inout ReadPart,
    _ slice: ReadSlice
  ) throws {
    var bytes = 0
    let next = paths.suffix(slice.steps).reversed()
    for path in next where bytes < slice.bytes {
      let document = SharedDocument(
        name: DocumentName(database: database.id, path: path),
        record: try database.get(path, at: .at(version))
      )
      bytes += document.size
      part.items.append(ReadPart.Item(document: document, isResult: false))
    }
    let rest = paths.dropLast(part.items.count)
    gone = Array(rest)
    part.isDone = rest.isEmpty
  }
}
