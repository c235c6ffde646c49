import DocumentCodec
import FirestoreModel

/// `BatchGetDocuments`: documents of one database by name.
package struct BatchGetDocumentsRequest: WireRequest {
  /// The database that all names lie in.
  package let database: DatabaseID
  /// Each once, as a document is answered once; in the request's order.
  package let names: [DocumentName]
  /// The fields of the documents to return; nil is everything.
  package let mask: [FieldPath]?
  /// The version to read at, or the transaction to read in or to begin.
  package let consistency: ReadConsistency

  /// Reads the message; INVALID_ARGUMENT for a malformed name or one of another database.
  package init(from reader: inout ProtobufReader) throws {
    var database = ""
    var names: [DocumentName] = []
    var mask: [FieldPath]?
    var selector = ConsistencySelector(transaction: 4, newTransaction: 5, readTime: 7)
    while let field = try reader.nextField() {
      switch field {
      case 1: database = try reader.string()
      case 2: names.append(try reader.documentName())
      case 3: try mask.set(try reader.readMask(), once: "mask")
      default: try selector.read(field, from: &reader)
      }
    }
    self.database = try DatabaseID(parsing: database)
    for name in names { try check(name, isIn: self.database) }
    self.names = Self.unique(names)
    self.mask = mask
    consistency = selector.consistency
  }

  private static func unique(_ names: [DocumentName]) -> [DocumentName] {
    guard names.count > 1 else { return names }
    var seen: Set<DocumentName> = []
    return names.filter { seen.insert($0).inserted }
  }
}
