import BaseText
import DocumentCodec
import FirestoreModel

/// A document: the response to Get, Create and Update.
package struct DocumentResponse: WireResponse {
  private let record: DocumentRecord
  private let mask: [FieldPath]?

  /// A document, or what the mask leaves of it.
  package init(_ record: DocumentRecord, mask: [FieldPath]? = nil) {
    self.record = record
    self.mask = mask
  }

  /// The stored fields and 256 bytes for the name and times; the mask is ignored.
  package var estimatedSize: Int { record.fields.bytes.count + 256 }

  /// Writes the fields of a `google.firestore.v1.Document`.
  package func write(to writer: inout ProtobufWriter) {
    writer.documentFields(record, mask: mask)
  }
}

/// One item of a list of documents.
package enum ListedDocument: Sendable, Hashable {
  case found(DocumentRecord)
  /// No document, but there are some below it (`show_missing`); it has only a name.
  case missing(DocumentName)
}

/// A page of ListDocuments.
package struct ListDocumentsResponse: WireResponse {
  private let items: [ListedDocument]
  private let nextPageToken: String
  private let mask: [FieldPath]?

  /// A page; an empty token says that it is the last.
  package init(items: [ListedDocument], nextPageToken: String = "", mask: [FieldPath]? = nil) {
    self.items = items
    self.nextPageToken = nextPageToken
    self.mask = mask
  }

  /// Writes the documents as field 1 and the token as field 2.
  package func write(to writer: inout ProtobufWriter) {
    for item in items {
      writer.message(1) { document in
        switch item {
        case .found(let record): document.documentFields(record, mask: mask)
        case .missing(let name): document.name(1, name)
        }
      }
    }
    writer.nonEmpty(2, nextPageToken)
  }
}

/// One message of BatchGetDocuments.
package struct BatchGetDocumentsResponse: WireResponse {
  /// The result of looking up a name.
  package enum Lookup: Sendable, Hashable {
    case found(DocumentRecord)
    case missing(DocumentName)
  }

  private let result: Lookup?
  private let transaction: [UInt8]?
  private let readTime: CommitVersion?
  private let mask: [FieldPath]?

  /// A document found or missing; without a result, the transaction that the request began.
  package init(
    result: Lookup?,
    transaction: [UInt8]? = nil,
    readTime: CommitVersion?,
    mask: [FieldPath]? = nil
  ) {
    self.result = result
    self.transaction = transaction
    self.readTime = readTime
    self.mask = mask
  }

  /// The found document's fields and 256 bytes for the rest.
  package var estimatedSize: Int {
    if case .found(let record)? = result { record.fields.bytes.count + 256 } else { 256 }
  }

  /// Writes the document as field 1 or its name as field 2, then transaction and read time.
  package func write(to writer: inout ProtobufWriter) {
    switch result {
    case .found(let record)?: writer.message(1) { $0.documentFields(record, mask: mask) }
    case .missing(let name)?: writer.name(2, name)
    case nil: break
    }
    writer.nonEmpty(3, transaction)
    writer.version(4, readTime)
  }
}

/// A page of ListCollectionIds.
package struct ListCollectionIDsResponse: WireResponse {
  private let ids: [Text]
  private let nextPageToken: String

  /// A page; an empty token says that it is the last.
  package init(ids: [Text], nextPageToken: String = "") {
    self.ids = ids
    self.nextPageToken = nextPageToken
  }

  /// Writes the ids as field 1 and the token as field 2.
  package func write(to writer: inout ProtobufWriter) {
    for id in ids { writer.text(1, id) }
    writer.nonEmpty(2, nextPageToken)
  }
}
