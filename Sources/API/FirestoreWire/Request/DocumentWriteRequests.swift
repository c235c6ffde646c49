import BaseStatus
import BaseText
import DocumentCodec
import FirestoreModel

/// `CreateDocument`: a document that must not exist yet.
package struct CreateDocumentRequest: Sendable, Hashable {
  /// The update that creates the document; its precondition is that there is none.
  package let write: Write
  /// The fields of the document to return; nil is everything.
  package let mask: [FieldPath]?
  /// True if the client left the choice of the id to the server.
  package let hasGeneratedID: Bool

  /// Reads a request; where it names no id, one is made from the random source.
  package init(
    decoding bytes: [UInt8],
    using random: inout some RandomNumberGenerator
  ) throws(ServiceError) {
    self = try bytes.decodingRequest { reader in try Self(from: &reader, using: &random) }
  }

  private init(
    from reader: inout ProtobufReader,
    using random: inout some RandomNumberGenerator
  ) throws {
    var parent = ""
    var collectionID = Text("")
    var documentID = Text("")
    var document: DocumentMessage?
    var mask: [FieldPath]?
    while let field = try reader.nextField() {
      switch field {
      case 1: parent = try reader.string()
      case 2: collectionID = try reader.text()
      case 3: documentID = try reader.text()
      case 4:
        let message = try DocumentMessage(try reader.content())
        try document.set(message, once: "document")
      case 5: try mask.set(try reader.readMask(), once: "mask")
      default: try reader.skip()
      }
    }
    hasGeneratedID = documentID.isEmpty
    if hasGeneratedID { documentID = ResourceID.random(using: &random) }
    let name = try Self.name(parent, collectionID, documentID)
    // A name in the document itself does not count.
    let fields = try document?.validatedFields(of: name) ?? .empty
    self.mask = mask
    write = Write(
      name: name,
      operation: .update(fields, mask: nil),
      precondition: .exists(false)
    )
  }

  private static func name(
    _ parent: String,
    _ collectionID: Text,
    _ documentID: Text
  ) throws -> DocumentName {
    let parent = try ParentName(parsing: parent)
    try ResourceID.checkCollection(collectionID)
    try ResourceID.checkDocument(documentID)
    return DocumentName(
      database: parent.database,
      path: ResourcePath(parent.path.segments + [collectionID, documentID])
    )
  }
}

/// `UpdateDocument`: replaces a document or the masked part of it.
package struct UpdateDocumentRequest: WireRequest {
  /// The update, with `update_mask` and `current_document`.
  package let write: Write
  /// The fields of the document to return; nil is everything.
  package let mask: [FieldPath]?

  /// Reads the message; INVALID_ARGUMENT without a document.
  package init(from reader: inout ProtobufReader) throws {
    var document: DocumentMessage?
    var updateMask: [FieldPath]?
    var mask: [FieldPath]?
    var precondition: Precondition?
    while let field = try reader.nextField() {
      switch field {
      case 1:
        let message = try DocumentMessage(try reader.content())
        try document.set(message, once: "document")
      case 2: try updateMask.set(try reader.updateMask(), once: "update_mask")
      case 3: try mask.set(try reader.readMask(), once: "mask")
      case 4:
        let message = try reader.submessage(PreconditionMessage.read)
        if let message { try precondition.set(message, once: "current_document") }
      default: try reader.skip()
      }
    }
    guard let document else { throw ServiceError.invalidArgument("Document is required.") }
    write = try document.write(mask: updateMask, precondition: precondition)
    self.mask = mask
  }
}

/// `DeleteDocument`.
package struct DeleteDocumentRequest: WireRequest {
  /// The deletion, with `current_document` as its precondition.
  package let write: Write

  /// Reads the message; INVALID_ARGUMENT without a valid name.
  package init(from reader: inout ProtobufReader) throws {
    var name: DocumentName?
    var precondition: Precondition?
    while let field = try reader.nextField() {
      switch field {
      case 1: name = try reader.documentName()
      case 2:
        let message = try reader.submessage(PreconditionMessage.read)
        if let message { try precondition.set(message, once: "current_document") }
      default: try reader.skip()
      }
    }
    write = Write(
      name: try name ?? DocumentName(parsing: ""),
      operation: .delete,
      precondition: precondition
    )
  }
}
