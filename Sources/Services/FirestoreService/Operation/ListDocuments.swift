import BaseRuntime
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
    beginRead(database, consistency, call, respond) { [self] read, respond in
      let lane: EngineThreads.Lane = request.showMissing ? .scans : .reads
      try onEngine(call, lane: lane, onlyFailure(respond)) { [self] in
        if !isProven { try permit.require(query, database, read, consistency) }
        let cursor = try database.listDocuments(.init(request), read: read)
        let slice = lane == .reads ? QueryCursor.shortSlice : QueryCursor.longSlice
        try inSlices(call, respond, first: slice) { slice in
          try cursor.next(slice: slice).map { page in
            ListDocumentsResponse(
              items: page.documents.map(ListedDocument.init),
              nextPageToken: page.nextPageToken,
              mask: request.mask
            ).encoded()
          }
        }
      }
    }
  }

  /// Processes one slice here and the next ones behind the queued work of others, until there is a
  /// response.
  private func inSlices(
    _ call: Call,
    _ respond: @escaping Respond,
    first slice: Int = QueryCursor.longSlice,
    _ next: @escaping @Sendable (_ slice: Int) throws -> [UInt8]?
  ) throws {
    if let answer = try next(slice) { return respond(.success(answer)) }
    try onEngine(call, lane: .scans, onlyFailure(respond)) { [self] in
      try inSlices(call, respond, next)
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
    try onEngine(call, lane: .scans, onlyFailure(respond)) { [self] in
      let cursor = try database.listCollectionIDs(
        parent: request.parent.path,
        pageSize: request.pageSize,
        pageToken: request.pageToken,
        consistency: Consistency(readTime: request.readTime),
        check: call.check
      )
      try inSlices(call, respond) { slice in
        try cursor.next(slice: slice).map { page in
          ListCollectionIDsResponse(ids: page.ids, nextPageToken: page.nextPageToken).encoded()
        }
      }
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
      try inSlices(call, respond) { slice in
        try cursor.next(slice: slice).map { page in
          PartitionQueryResponse(
            partitions: page.names.map { Cursor(values: [.reference($0)], before: false) },
            nextPageToken: page.nextPageToken
          ).encoded()
        }
      }
    }
  }
}

extension ListedDocument {
  fileprivate init(_ item: DocumentListing.Item) {
    switch item {
    case .found(let record): self = .found(record)
    case .missing(let name): self = .missing(name)
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
