/// A document as queries see it, for any encoding of its fields.
package protocol QueryDocument {
  /// The document's full resource name, which `__name__` stands for.
  var name: DocumentName { get }

  /// The field's value; nil where there is none. Never asked for `__name__`.
  func value(at path: FieldPath) -> Value?
}

/// A document with its fields decoded.
package struct DecodedDocument: QueryDocument, Sendable, Hashable {
  /// The document's full resource name.
  package let name: DocumentName
  /// All fields of the document.
  package let fields: MapValue

  /// A document of these fields.
  package init(name: DocumentName, fields: MapValue) {
    self.name = name
    self.fields = fields
  }

  /// The field's value; nil where there is none.
  package func value(at path: FieldPath) -> Value? { fields.value(at: path) }
}

extension QueryDocument {
  /// The value that a filter or order sees; `__name__` is the document's reference.
  package func queryValue(at path: FieldPath) -> Value? {
    path.isDocumentName ? .reference(name) : value(at: path)
  }
}
