import DocumentStore
import FirestoreModel
import FirestoreWire

// ListDocuments, ListCollectionIds and PartitionQuery.

extension FirestoreService {
  func listDocuments(
    _ request: ListDocumentsRequest,
    _ call: Call,
    _ respond: @escaping Respond
  ) throws {
    let permit = try permit(call, request.parent.database)
    if request.showMissing { try permit.requireAdministrator(for: "Metadata operations") }
    let query = try request.query.normalized()
    let consistency = try permit.consistency(request.consistency)
    let isProven = try permit.allowsAlone(query, isInTransaction: consistency.isTransaction)
    let database = try database(of: permit, call)
    beginRead(database, consistency, call, respond) { [self] read in
      try onEngine(call, lane: request.showMissing ? .scans : .reads, respond) {
        if !isProven { try permit.require(query, database, read, consistency) }
        let page = try database.listDocuments(.init(request), read: read)
        let items = page.documents.map { item -> ListedDocument in
          switch item {
          case .found(let record): .found(record)
          case .missing(let name): .missing(name)
          }
        }
        return ListDocumentsResponse(
          items: items,
          nextPageToken: page.nextPageToken,
          mask: request.mask
        ).encoded()
      }
    }
  }

  func listCollectionIDs(
    _ request: ListCollectionIDsRequest,
    _ call: Call,
    _ respond: @escaping Respond
  ) throws {
    let permit = try permit(call, request.parent.database)
    try permit.requireAdministrator(for: "Metadata operations")
    let database = try database(of: permit, call)
    try onEngine(call, lane: .scans, respond) {
      let page = try database.listCollectionIDs(
        parent: request.parent.path,
        pageSize: request.pageSize,
        pageToken: request.pageToken,
        consistency: Consistency(readTime: request.readTime),
        check: call.check
      )
      return ListCollectionIDsResponse(ids: page.ids, nextPageToken: page.nextPageToken).encoded()
    }
  }

  func partitionQuery(
    _ request: PartitionQueryRequest,
    _ call: Call,
    _ respond: @escaping Respond
  ) throws {
    let permit = try permit(call, request.parent.database)
    try permit.requireAdministrator(for: "Partition queries")
    let database = try database(of: permit, call)
    try onEngine(call, lane: .scans, onlyFailure(respond)) { [self] in
      let cursor = try database.partition(
        request.query,
        count: Int(request.partitionCount),
        pageSize: request.pageSize,
        pageToken: request.pageToken,
        consistency: Consistency(readTime: request.readTime),
        check: call.check
      )
      try partition(cursor, call, respond)
    }
  }

  /// Works off one slice of a division here and the next ones behind what others wait for.
  private func partition(
    _ cursor: PartitionCursor,
    _ call: Call,
    _ respond: @escaping Respond
  ) throws {
    if let page = try cursor.next() {
      let cursors = page.names.map { Cursor(values: [.reference($0)], before: false) }
      let response = PartitionQueryResponse(
        partitions: cursors,
        nextPageToken: page.nextPageToken
      )
      return respond(.success(response.encoded()))
    }
    try onEngine(call, lane: .scans, onlyFailure(respond)) { [self] in
      try partition(cursor, call, respond)
    }
  }
}

extension ListDocumentsRequest {
  /// The query that the list answers a page of; what the choke point judges.
  fileprivate var query: Query {
    var query = Query(
      parent: parent.path,
      scope: collectionID.map(Query.Scope.collection) ?? .children
    )
    query.orders = orders
    query.limit = pageSize > 0 ? pageSize : nil
    return query
  }
}

extension DocumentListingRequest {
  /// The request in the store's terms.
  fileprivate init(_ wire: ListDocumentsRequest) {
    self.init(parent: wire.parent.path, collectionID: wire.collectionID)
    pageSize = wire.pageSize
    pageToken = wire.pageToken
    orders = wire.orders
    mask = wire.mask
    showMissing = wire.showMissing
  }
}
