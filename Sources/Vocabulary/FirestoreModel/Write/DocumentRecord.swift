/// A document's fields as they came over the wire: concatenated protobuf entries of
/// `Document.fields` (tag 2, length, map entry {key 1, value 2}), validated by `DocumentCodec`.
///
/// Putting them between `name` and `create_time` makes a valid `google.firestore.v1.Document`.
package struct DocumentFields: Sendable, Hashable {
  /// The concatenated entries; empty for a document without fields.
  package let bytes: [UInt8]

  /// Bytes that `DocumentCodec` has validated or built.
  package init(validated bytes: [UInt8]) { self.bytes = bytes }

  /// A document without fields.
  package static let empty = DocumentFields(validated: [])
}

/// A stored document.
package struct DocumentRecord: Sendable, Hashable {
  /// The document's full resource name.
  package let name: DocumentName
  /// The fields, still encoded.
  package let fields: DocumentFields
  /// The version of the commit that created the document; a deletion and a new creation change it.
  package let createTime: CommitVersion
  /// The version of the last commit that changed the document.
  package let updateTime: CommitVersion

  /// A document as the store holds it.
  package init(
    name: DocumentName,
    fields: DocumentFields,
    createTime: CommitVersion,
    updateTime: CommitVersion
  ) {
    self.name = name
    self.fields = fields
    self.createTime = createTime
    self.updateTime = updateTime
  }
}
