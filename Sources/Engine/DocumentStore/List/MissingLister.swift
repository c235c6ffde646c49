import FirestoreModel

/// Reads a page of the documents of one collection, those that exist and those that only have something below them,
/// merged by id.
struct MissingLister {
  private let page: DocumentPage
  private let projection: QueryProjection
  private let read: ConsistentRead
  private let incarnation: Incarnation
  private let collection: ResourcePath
  private var documents: [DocumentListing.Item] = []
  /// Behind the last id that was merged.
  private var position: [UInt8]
  private var parents: ParentPosition

  init(_ page: DocumentPage, read: ConsistentRead, database: Database, from token: PageToken?) {
    self.page = page
    self.read = read
    incarnation = database.incarnation
    projection = QueryProjection(page.query.projection)
    collection = page.request.parent.appending(page.request.collectionID ?? "")
    // Behind the last id, and behind the directory's entries that begin with it.
    position = token?.parts.first.map { $0 + [0xFF] } ?? []
    parents = ParentPosition(next: position)
  }

  /// Merges one slice; the page where it is complete, else nil.
  mutating func advance(_ view: ReadView, slice: Int) throws -> DocumentListing? {
    view.sliceEnd = view.steps + slice
    var merge = MissingMerge(
      documents: try VersionedScan(
        view,
        format: .document,
        prefix: DocumentKey.collectionPrefix(collection, in: incarnation),
        range: PositionRange(lower: position),
        reversed: false
      ),
      parents: ParentWalk(view, collection, in: incarnation),
      position: parents
    )
    defer { parents = merge.position }
    do {
      while let entry = try merge.next() {
        if documents.count == page.size { return listing(hasNext: true, at: view.version) }
        try add(entry)
        position = entry.id + [0xFF]
        if view.isSliceUsedUp { return nil }
      }
    } catch is SliceUsedUp {
      return nil
    }
    return listing(hasNext: false, at: view.version)
  }

  private func listing(hasNext: Bool, at version: CommitVersion) -> DocumentListing {
    let last = Array(position.dropLast())
    return page.listing(documents, next: hasNext ? PageToken([last]) : nil, at: version)
  }

  private mutating func add(_ entry: MissingMerge.Entry) throws {
    let space = NameSpace(collection: collection)
    guard let path = entry.id.withUnsafeBytes({ space.path(ofName: $0) }) else { return }
    let name = DocumentName(database: read.databaseID, path: path)
    let record = entry.document.map { projection.apply(to: $0.record(name: name)) }
    if read.isTracking {
      try read.record(.document(path, record?.updateTime ?? .zero))
    }
    documents.append(record.map { .found($0) } ?? .missing(name))
  }
}

/// The position up to which the ids with something below them have been looked at; kept from one
/// slice to the next.
struct ParentPosition {
  /// From where the directory is looked at next.
  var next: [UInt8]
  /// An id that was found and is not merged yet.
  var found: [UInt8]?
}

/// Merges existing documents with ids that something lies below.
struct MissingMerge {
  typealias Entry = (id: [UInt8], document: StoredDocument?)

  private let documents: VersionedScan
  private let parents: ParentWalk
  private(set) var position: ParentPosition
  private var document: Entry?
  private var isDocumentDue = true
  private var hasParents = true

  init(documents: VersionedScan, parents: ParentWalk, position: ParentPosition) {
    self.documents = documents
    self.parents = parents
    self.position = position
  }

  /// The next id of either; throws `SliceUsedUp`, and loses none, where the slice ends before it is found.
  mutating func next() throws -> Entry? {
    if isDocumentDue {
      try moveDocument()
      isDocumentDue = false
    }
    if position.found == nil, hasParents {
      hasParents = try parents.move(&position)
    }
    guard let current = document else {
      return position.found.take().map { ($0, nil) }
    }
    if let below = position.found, below.precedes(current.id) {
      position.found = nil
      return (below, nil)
    }
    if position.found == current.id { position.found = nil }
    isDocumentDue = true
    return current
  }

  private mutating func moveDocument() throws {
    document =
      try documents.next()
      ? (Array(documents.position), StoredDocument(value: documents.payload)) : nil
  }
}

/// The ids in a collection below which there are documents, in their order.
struct ParentWalk {
  private let view: ReadView
  private let incarnation: Incarnation
  private let path: [UInt8]

  init(_ view: ReadView, _ collection: ResourcePath, in incarnation: Incarnation) {
    self.view = view
    self.incarnation = incarnation
    var bytes: [UInt8] = []
    SegmentEncoding.append(collection, to: &bytes)
    path = bytes
  }

  /// Finds the next id at or behind a position; false where there is none.
  ///
  /// Throws `SliceUsedUp` behind an id that nothing lies below any more.
  func move(_ position: inout ParentPosition) throws -> Bool {
    let prefix = KeySpace.collectionsOfParent.prefix(incarnation) + path
    // Ids are segments; the terminator would be a collection with documents of its own.
    let lowest = [SegmentEncoding.numericTag]
    while true {
      try view.step()
      let start = position.next.precedes(lowest) ? lowest : position.next
      let range = PositionRange(lower: start).keys(below: prefix)
      let cursor = try view.reader.cursor(over: range, reversed: false)
      view.statistics.seeks += 1
      guard try cursor.next() else { return false }
      let rest = UnsafeRawBufferPointer(rebasing: cursor.key.dropFirst(prefix.count))
      var end = 0
      guard SegmentEncoding.decode(rest, at: &end) != nil else { return false }
      let id = Array(rest[..<end])
      position.next = id + [0xFF]
      if try holdsDocuments(below: path + id) {
        position.found = id
        return true
      }
      if view.isSliceUsedUp { throw SliceUsedUp() }
    }
  }

  private func holdsDocuments(below path: [UInt8]) throws -> Bool {
    try VersionedScan(
      view,
      format: .document,
      prefix: KeySpace.document.prefix(incarnation) + path,
      range: .all,
      reversed: false
    ).next()
  }
}
