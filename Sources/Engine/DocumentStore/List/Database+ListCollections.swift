import FirestoreModel
import KeyValueStore

extension Database {
  /// One page of the ids of the collections under a parent (the root or a document): those with
  /// documents, or with documents somewhere below.
  package func listCollectionIDs(
    parent: ResourcePath,
    pageSize: Int = 0,
    pageToken: String = "",
    consistency: Consistency = .latest,
    check: WorkCheck? = nil
  ) throws -> CollectionIDListing {
    do {
      let arguments = ["collections", parent.string]
      let size = try ListingLimits.page(pageSize)
      let token = try PageToken(pageToken, of: arguments)
      return try beginRead(consistency, check: check).view { view in
        var listing = CollectionIDListing(ids: [], nextPageToken: "", readTime: view.version)
        var last: [UInt8] = []
        try forEachCollectionID(of: parent, after: token?.parts.first, in: view) { id, encoded in
          if listing.ids.count == size {
            listing.nextPageToken = PageToken([last]).text(of: arguments)
            return false
          }
          last = encoded
          listing.ids.append(id)
          return true
        }
        return listing
      }
    } catch {
      throw FirestoreError.storage(error)
    }
  }

  private func forEachCollectionID(
    of parent: ResourcePath,
    after last: [UInt8]?,
    in view: ReadView,
    _ body: (Text, _ encoded: [UInt8]) throws -> Bool
  ) throws {
    let prefix = DirectoryKey.prefix(ofParent: parent, in: incarnation)
    let range = PositionRange(lower: last.map { $0 + [0] } ?? []).keys(below: prefix)
    let cursor = try view.reader.cursor(over: range, reversed: false)
    while try cursor.next() {
      try view.step()
      guard let collection = DirectoryKey.collection(ofKey: cursor.key),
        let id = collection.lastID
      else { continue }
      let encoded = Array(cursor.key.dropFirst(prefix.count))
      let subtree = DocumentKey.subtreePrefix(collection, in: incarnation)
      let documents = try VersionedScan(
        view,
        format: .document,
        prefix: subtree,
        range: .all,
        reversed: false
      )
      if try documents.next(), try !body(id, encoded) { return }
    }
  }
}
