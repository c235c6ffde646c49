import BaseStatus
import BaseText
import FirestoreModel

/// The arguments of `ListDocuments`.
package struct DocumentListingRequest: Sendable {
  /// The root or a document.
  package var parent: ResourcePath
  /// Nil lists the documents of all of the parent's collections.
  package var collectionID: Text?
  /// Zero is the default size.
  package var pageSize: Int
  /// The previous page's `nextPageToken`; empty is the first page.
  package var pageToken: String
  /// Empty is by name.
  package var orders: [Order]
  /// The fields to deliver; nil is all.
  package var mask: [FieldPath]?
  /// True if documents that do not exist but have sub-collections are listed, too.
  package var showMissing: Bool

  /// A first page with the defaults.
  package init(parent: ResourcePath, collectionID: Text?) {
    self.parent = parent
    self.collectionID = collectionID
    pageSize = 0
    pageToken = ""
    orders = []
    showMissing = false
  }
}

/// A page of documents.
package struct DocumentListing: Sendable {
  /// A listed document.
  package enum Item: Sendable, Hashable {
    case found(DocumentRecord)
    /// It does not exist, but something below it does.
    case missing(DocumentName)

    /// The document's name.
    package var name: DocumentName {
      switch self {
      case .found(let record): record.name
      case .missing(let name): name
      }
    }
  }

  /// The page's documents in the requested order, missing ones included if they were asked for.
  package var documents: [Item]
  /// Empty on the last page.
  package var nextPageToken: String
  /// The version at which the page was read.
  package let readTime: CommitVersion
}

/// A page of collection ids.
package struct CollectionIDListing: Sendable {
  /// Ids of the parent's collections, in the order of names.
  package var ids: [Text]
  /// Empty on the last page.
  package var nextPageToken: String
  /// The version at which the page was read.
  package let readTime: CommitVersion
}

/// The limits on the pages of listings.
enum ListingLimits {
  static let defaultPage = 300
  static let maximumPage = 1_000

  /// The size to use for one that was asked for.
  static func page(_ asked: Int) throws(ServiceError) -> Int {
    if asked < 0 { throw .invalidArgument("page_size must not be negative") }
    return asked == 0 ? defaultPage : min(asked, maximumPage)
  }
}
