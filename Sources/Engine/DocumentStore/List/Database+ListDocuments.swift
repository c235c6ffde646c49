import FirestoreModel
import KeyValueStore

extension Database {
  /// One page of a collection's documents.
  package func listDocuments(
    _ request: DocumentListingRequest,
    consistency: Consistency = .latest
  ) throws -> DocumentListing {
    try listDocuments(request, read: try beginRead(consistency))
  }

  /// The same as part of a reading that has begun.
  package func listDocuments(
    _ request: DocumentListingRequest,
    read: ConsistentRead
  ) throws -> DocumentListing {
    do {
      let query = try request.query().normalized()
      let token = try PageToken(request.pageToken, of: request.arguments)
      let run = DocumentLister(
        request: request,
        query: query,
        read: read,
        database: self,
        pageSize: try ListingLimits.page(request.pageSize)
      )
      return try request.showMissing ? run.withMissing(from: token) : run.found(from: token)
    } catch {
      throw FirestoreError.storage(error)
    }
  }
}

extension DocumentListingRequest {
  /// The query that finds the documents that exist.
  fileprivate func query() throws(FirestoreError) -> Query {
    var query = Query(parent: parent, scope: collectionID.map { .collection($0) } ?? .children)
    query.orders = orders
    query.projection = mask
    if showMissing, !query.orders.isEmpty || collectionID == nil {
      throw .invalidArgument("show_missing may be used only with documents by name")
    }
    return query
  }

  /// What a page token belongs to.
  fileprivate var arguments: [String] {
    [
      "documents", parent.string, collectionID?.string ?? "", "\(orders)",
      showMissing ? "missing" : "",
    ]
  }
}

/// Reads one page.
private struct DocumentLister {
  let request: DocumentListingRequest
  let query: NormalizedQuery
  let read: ConsistentRead
  let database: Database
  let pageSize: Int

  func found(from token: PageToken?) throws -> DocumentListing {
    var run = QueryRun(query, read: read, database: database)
    run.position = token.map { SortBound(SortKey($0.parts), isAfter: true) }
    var listing = DocumentListing(documents: [], nextPageToken: "", readTime: .zero)
    let projection = QueryProjection(query.projection)
    repeat {
      try read.view { view in
        listing = DocumentListing(
          documents: listing.documents,
          nextPageToken: "",
          readTime: view.version
        )
        _ = try run.pull(view) { result in
          listing.documents.append(.found(try projection.record(result)))
          return listing.documents.count < pageSize
        }
      }
    } while listing.documents.count < pageSize && !run.isDone
    if !run.isDone, let key = run.position?.key {
      let parts = key.components.map { Array($0) }
      listing.nextPageToken = PageToken(parts).text(of: request.arguments)
    }
    return listing
  }

  /// Documents that exist and those that only have something below them, merged by id.
  func withMissing(from token: PageToken?) throws -> DocumentListing {
    let collection = request.parent.appending(request.collectionID ?? "")
    // Behind the last id, and behind the directory's entries that begin with it.
    let start = token?.parts.first.map { $0 + [0xFF] } ?? []
    return try read.view { view in
      let documents = try VersionedScan(
        view,
        format: .document,
        prefix: DocumentKey.collectionPrefix(collection, in: database.incarnation),
        range: PositionRange(lower: start),
        reversed: false
      )
      let parents = ParentWalk(view, collection, in: database.incarnation, from: start)
      var merge = MissingMerge(documents: documents, parents: parents)
      return try page(of: &merge, collection, view)
    }
  }

  private func page(
    of merge: inout MissingMerge,
    _ collection: ResourcePath,
    _ view: ReadView
  ) throws -> DocumentListing {
    let projection = QueryProjection(query.projection)
    let space = NameSpace(collection: collection)
    var listing = DocumentListing(documents: [], nextPageToken: "", readTime: view.version)
    var last: [UInt8] = []
    while let entry = try merge.next() {
      if listing.documents.count == pageSize {
        listing.nextPageToken = PageToken([last]).text(of: request.arguments)
        break
      }
      last = entry.id
      guard let path = entry.id.withUnsafeBytes({ space.path(ofName: $0) }) else { continue }
      let name = DocumentName(database: database.id, path: path)
      let record = entry.document.map { projection.apply(to: $0.record(name: name)) }
      if read.isTracking {
        try read.record(.document(path, record?.updateTime ?? .zero))
      }
      listing.documents.append(record.map { .found($0) } ?? .missing(name))
    }
    return listing
  }
}

/// Merges existing documents with ids that something lies below.
private struct MissingMerge {
  let documents: VersionedScan
  let parents: ParentWalk
  private var document: (id: [UInt8], value: StoredDocument)?
  private var parent: [UInt8]?
  private var isStarted = false

  init(documents: VersionedScan, parents: ParentWalk) {
    self.documents = documents
    self.parents = parents
  }

  mutating func next() throws -> (id: [UInt8], document: StoredDocument?)? {
    if !isStarted {
      isStarted = true
      try moveDocument()
      parent = try parents.next()
    }
    guard let current = document else {
      guard let only = parent else { return nil }
      parent = try parents.next()
      return (only, nil)
    }
    if let below = parent, below.precedes(current.id) {
      parent = try parents.next()
      return (below, nil)
    }
    if parent == current.id { parent = try parents.next() }
    try moveDocument()
    return (current.id, current.value)
  }

  private mutating func moveDocument() throws {
    document =
      try documents.next()
      ? (Array(documents.position), StoredDocument(value: documents.payload)) : nil
  }
}

/// The ids in a collection below which there are documents, in their order.
final class ParentWalk {
  private let view: ReadView
  private let incarnation: Incarnation
  private let path: [UInt8]
  private var position: [UInt8]

  /// Looks from a position among the collection's ids on.
  init(
    _ view: ReadView,
    _ collection: ResourcePath,
    in incarnation: Incarnation,
    from position: [UInt8]
  ) {
    self.view = view
    self.incarnation = incarnation
    self.position = position
    var bytes: [UInt8] = []
    SegmentEncoding.append(collection, to: &bytes)
    path = bytes
  }

  func next() throws -> [UInt8]? {
    let prefix = KeySpace.collectionsOfParent.prefix(incarnation) + path
    // Ids are segments; the terminator would be a collection with documents of its own.
    let lowest = [SegmentEncoding.numericTag]
    while true {
      try view.step()
      let start = position.precedes(lowest) ? lowest : position
      let range = PositionRange(lower: start).keys(below: prefix)
      let cursor = try view.reader.cursor(over: range, reversed: false)
      view.statistics.seeks += 1
      guard try cursor.next() else { return nil }
      let rest = UnsafeRawBufferPointer(rebasing: cursor.key.dropFirst(prefix.count))
      var end = 0
      guard SegmentEncoding.decode(rest, at: &end) != nil else { return nil }
      let id = Array(rest[..<end])
      position = id + [0xFF]
      if try holdsDocuments(below: path + id) { return id }
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
