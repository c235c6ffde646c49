@testable import DocumentStore

extension PartitionCursor {
  /// The page, after as many slices as it takes.
  func finished(slice: Int = QueryCursor.longSlice) throws -> Partitioning {
    while true {
      if let page = try next(slice: slice) { return page }
    }
  }
}

extension DocumentListingCursor {
  /// The page, after as many slices as it takes.
  func finished(slice: Int = QueryCursor.longSlice) throws -> DocumentListing {
    while true {
      if let page = try next(slice: slice) { return page }
    }
  }
}

extension CollectionIDCursor {
  /// The page, after as many slices as it takes.
  func finished(slice: Int = QueryCursor.longSlice) throws -> CollectionIDListing {
    while true {
      if let page = try next(slice: slice) { return page }
    }
  }
}

extension Database {
  /// A page of documents, after as many slices as it takes.
  func list(
    _ request: DocumentListingRequest,
    consistency: Consistency = .latest,
    slice: Int = QueryCursor.longSlice
  ) throws -> DocumentListing {
    try listDocuments(request, read: try beginRead(consistency)).finished(slice: slice)
  }
}
