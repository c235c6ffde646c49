import DocumentCodec
import FirestoreModel

/// `GetDocument`: one document by name.
package struct GetDocumentRequest: WireRequest {
  /// The document's full resource name.
  package let name: DocumentName
  /// The fields of the document to return; nil is everything.
  package let mask: [FieldPath]?
  /// The version to read at, or the transaction to read in.
  package let consistency: ReadConsistency

  /// Reads the message; INVALID_ARGUMENT without a valid name.
  package init(from reader: inout ProtobufReader) throws {
    var name: DocumentName?
    var mask: [FieldPath]?
    var selector = ConsistencySelector(transaction: 3, readTime: 5)
    while let field = try reader.nextField() {
      switch field {
      case 1: name = try reader.documentName()
      case 2: try mask.set(try reader.readMask(), once: "mask")
      default: try selector.read(field, from: &reader)
      }
    }
    self.name = try name ?? DocumentName(parsing: "")
    self.mask = mask
    consistency = selector.consistency
  }
}
