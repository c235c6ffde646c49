import BaseStatus
import BaseText
import FirestoreModel
import Synchronization

extension Database {
  /// Begins to read one page of the ids of the collections under a parent (the root or a document): those with
  /// documents, or with documents somewhere below.
  package func listCollectionIDs(
    parent: ResourcePath,
    pageSize: Int = 0,
    pageToken: String = "",
    consistency: Consistency = .latest,
    check: WorkCheck? = nil
  ) throws -> CollectionIDCursor {
    do {
      let arguments = ["collections", parent.string]
      let size = try ListingLimits.page(pageSize)
      let token = try PageToken(pageToken, of: arguments)
      let lister = CollectionIDLister(
        parent: parent,
        incarnation: incarnation,
        size: size,
        arguments: arguments,
        last: token?.parts.first
      )
      return CollectionIDCursor(lister, try beginRead(consistency, check: check))
    } catch {
      throw ServiceError.storage(error)
    }
  }
}

/// A page of collection ids that is being read, slice by slice, all at one version.
///
/// One call at a time; calls block.
package final class CollectionIDCursor: Sendable {
  private let lister: Mutex<CollectionIDLister>
  private let read: ConsistentRead

  fileprivate init(_ lister: CollectionIDLister, _ read: ConsistentRead) {
    self.lister = Mutex(lister)
    self.read = read
  }

  /// Reads one slice; returns the page if it is complete, otherwise nil.
  ///
  /// - Parameter slice: The approximate number of entries and documents to look at.
  package func next(slice: Int = QueryCursor.longSlice) throws -> CollectionIDListing? {
    do {
      return try lister.withLock { lister in
        try read.view { try lister.advance($0, slice: slice) }
      }
    } catch {
      throw ServiceError.storage(error)
    }
  }
}

/// Goes through the directory's entries of one parent.
private struct CollectionIDLister {
  let parent: ResourcePath
  let incarnation: Incarnation
  let size: Int
  let arguments: [String]
  /// The last entry that was looked at.
  var last: [UInt8]?
  private var ids: [Text] = []
  /// The entry of the last id on the page.
  private var lastListed: [UInt8] = []

  init(
    parent: ResourcePath,
    incarnation: Incarnation,
    size: Int,
    arguments: [String],
    last: [UInt8]?
  ) {
    self.parent = parent
    self.incarnation = incarnation
    self.size = size
    self.arguments = arguments
    self.last = last
  }

  mutating func advance(_ view: ReadView, slice: Int) throws -> CollectionIDListing? {
    view.sliceEnd = view.steps + slice
    let prefix = DirectoryKey.prefix(ofParent: parent, in: incarnation)
    let range = PositionRange(lower: last.map { $0 + [0] } ?? []).keys(below: prefix)
    let cursor = try view.reader.cursor(over: range, reversed: false)
    while try cursor.next() {
      try view.step()
      let encoded = Array(cursor.key.dropFirst(prefix.count))
      if let collection = DirectoryKey.collection(ofKey: cursor.key), let id = collection.lastID,
        try holdsDocuments(collection, view)
      {
        if ids.count == size {
          return listing(next: PageToken([lastListed]).text(of: arguments), view)
        }
        ids.append(id)
        lastListed = encoded
      }
      last = encoded
      if view.isSliceUsedUp { return nil }
    }
    return listing(next: "", view)
  }

  private func listing(next: String, _ view: ReadView) -> CollectionIDListing {
    CollectionIDListing(ids: ids, nextPageToken: next, readTime: view.version)
  }

  private func holdsDocuments(_ collection: ResourcePath, _ view: ReadView) throws -> Bool {
    try VersionedScan(
      view,
      format: .document,
      prefix: DocumentKey.subtreePrefix(collection, in: incarnation),
      range: .all,
      reversed: false
    ).next()
  }
}
