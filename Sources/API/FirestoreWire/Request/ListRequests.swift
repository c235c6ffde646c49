import BaseStatus
import BaseText
import DocumentCodec
import FirestoreModel

/// `ListDocuments`: a collection's documents, a page at a time.
package struct ListDocumentsRequest: WireRequest {
  /// The root or the document that the collections lie below.
  package let parent: ParentName
  /// Nil lists the documents of every collection below the parent.
  package let collectionID: Text?
  /// Zero leaves it to the server.
  package let pageSize: Int
  /// Empty asks for the first page.
  package let pageToken: String
  /// `order_by` as parsed; empty sorts by name.
  package let orders: [Order]
  /// The fields of the documents to return; nil is everything.
  package let mask: [FieldPath]?
  /// The version to read at, or the transaction to read in.
  package let consistency: ReadConsistency
  /// True if names without a document are listed where they have documents below them.
  package let showMissing: Bool

  /// Reads the message; INVALID_ARGUMENT for a negative page size, or an order together with `show_missing`.
  package init(from reader: inout ProtobufReader) throws {
    var parent = ""
    var collectionID = Text("")
    var pageSize: Int32 = 0
    var pageToken = ""
    var orderBy = ""
    var mask: [FieldPath]?
    var showMissing = false
    var selector = ConsistencySelector(transaction: 8, readTime: 10)
    while let field = try reader.nextField() {
      switch field {
      case 1: parent = try reader.string()
      case 2: collectionID = try reader.text()
      case 3: pageSize = try reader.int32()
      case 4: pageToken = try reader.string()
      case 6: orderBy = try reader.string()
      case 7: try mask.set(try reader.readMask(), once: "mask")
      case 12: showMissing = try reader.bool()
      default: try selector.read(field, from: &reader)
      }
    }
    self.parent = try ParentName(parsing: parent)
    if !collectionID.isEmpty { try ResourceID.checkCollection(collectionID) }
    self.collectionID = collectionID.isEmpty ? nil : collectionID
    self.pageSize = try checkedPageSize(pageSize)
    self.pageToken = pageToken
    orders = try OrderByText.parse(orderBy)
    if showMissing && !orders.isEmpty {
      throw ServiceError.invalidArgument("order_by cannot be used with show_missing.")
    }
    self.mask = mask
    self.showMissing = showMissing
    consistency = selector.consistency
  }
}

/// `ListCollectionIds`: which collections lie directly below a parent.
package struct ListCollectionIDsRequest: WireRequest {
  /// The root or the document that the collections lie below.
  package let parent: ParentName
  /// Zero leaves it to the server.
  package let pageSize: Int
  /// Empty asks for the first page.
  package let pageToken: String
  /// Nil is now.
  package let readTime: Timestamp?

  /// Reads the message; INVALID_ARGUMENT for a malformed parent or a negative page size.
  package init(from reader: inout ProtobufReader) throws {
    var parent = ""
    var pageSize: Int32 = 0
    var pageToken = ""
    var readTime: Timestamp?
    while let field = try reader.nextField() {
      switch field {
      case 1: parent = try reader.string()
      case 2: pageSize = try reader.int32()
      case 3: pageToken = try reader.string()
      case 4: try readTime.set(try reader.timestamp(), once: "consistency_selector")
      default: try reader.skip()
      }
    }
    self.parent = try ParentName(parsing: parent)
    self.pageSize = try checkedPageSize(pageSize)
    self.pageToken = pageToken
    self.readTime = readTime
  }
}
