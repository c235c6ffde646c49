import BaseStatus
import FirestoreModel
import Synchronization

extension Database {
  /// Begins to read one page of a collection's documents; the cursor's slices do the reading.
  package func listDocuments(
    _ request: DocumentListingRequest,
    read: ConsistentRead
  ) throws -> DocumentListingCursor {
    do {
      let query = try request.query().normalized()
      let token = try PageToken(request.pageToken, of: request.arguments)
      let size = try ListingLimits.page(request.pageSize)
      let page = DocumentPage(request: request, query: query, size: size)
      if request.showMissing {
        return DocumentListingCursor(
          .missing(MissingLister(page, read: read, database: self, from: token)),
          read
        )
      }
      var run = QueryRun(query, read: read, database: self)
      run.position = token.map { SortBound(SortKey($0.parts), isAfter: true) }
      return DocumentListingCursor(.found(FoundLister(page, run)), read)
    } catch {
      throw ServiceError.storage(error)
    }
  }
}

extension DocumentListingRequest {
  /// The query that finds the documents that exist.
  fileprivate func query() throws(ServiceError) -> Query {
    var query = Query(parent: parent, scope: collectionID.map { .collection($0) } ?? .children)
    query.orders = orders
    query.projection = mask
    if showMissing, !query.orders.isEmpty || collectionID == nil {
      throw .invalidArgument("show_missing may be used only with documents by name")
    }
    return query
  }

  /// The arguments of the request that a page token belongs to.
  var arguments: [String] {
    [
      "documents", parent.string, collectionID?.string ?? "", "\(orders)",
      showMissing ? "missing" : "",
    ]
  }
}

/// A page of documents that is being read, slice by slice, all at one version.
///
/// Between slices the page so far is held, and the position behind what was looked at. One call at a time; calls
/// block.
package final class DocumentListingCursor: Sendable {
  fileprivate enum Lister {
    case found(FoundLister)
    case missing(MissingLister)
  }

  private let lister: Mutex<Lister>
  private let read: ConsistentRead

  fileprivate init(_ lister: sending Lister, _ read: ConsistentRead) {
    self.lister = Mutex(lister)
    self.read = read
  }

  /// Reads one slice; returns the page if it is complete, otherwise nil.
  ///
  /// - Parameter slice: The approximate number of entries and documents to look at.
  package func next(slice: Int = QueryCursor.longSlice) throws -> DocumentListing? {
    do {
      return try lister.withLock { lister in
        try read.view { view in
          switch lister {
          case .found(var found):
            defer { lister = .found(found) }
            return try found.advance(view, slice: slice)
          case .missing(var missing):
            defer { lister = .missing(missing) }
            return try missing.advance(view, slice: slice)
          }
        }
      }
    } catch {
      throw ServiceError.storage(error)
    }
  }
}

/// The documents that a page lists, and its length.
struct DocumentPage {
  let request: DocumentListingRequest
  let query: NormalizedQuery
  let size: Int

  func listing(
    _ documents: [DocumentListing.Item],
    next: PageToken?,
    at version: CommitVersion
  ) -> DocumentListing {
    DocumentListing(
      documents: documents,
      nextPageToken: next?.text(of: request.arguments) ?? "",
      readTime: version
    )
  }
}

/// Reads a page of the documents that exist.
private struct FoundLister {
  private let page: DocumentPage
  private let projection: QueryProjection
  private var run: QueryRun
  private var documents: [DocumentListing.Item] = []

  init(_ page: DocumentPage, _ run: QueryRun) {
    self.page = page
    self.run = run
    projection = QueryProjection(page.query.projection)
  }

  mutating func advance(_ view: ReadView, slice: Int) throws -> DocumentListing? {
    _ = try run.pull(view, slice: slice) { result in
      documents.append(.found(try projection.record(result)))
      return documents.count < page.size
    }
    guard documents.count == page.size || run.isDone else { return nil }
    let key = run.isDone ? nil : run.position?.key
    let next = key.map { PageToken($0.components.map { Array($0) }) }
    return page.listing(documents, next: next, at: view.version)
  }
}
