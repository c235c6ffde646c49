import FirestoreModel

/// Computes the entries that a document has in one kind of index.
///
/// A kind is a type of its own, made for one database's definitions by `IndexMaintainers`; entries
/// depend on nothing but the document and those definitions.
package protocol IndexMaintainer: Sendable {
  /// Appends the document's entries, in any order.
  func addEntries(
    of document: IndexedDocument,
    to entries: inout [IndexEntry]
  )
}

/// The kinds of indexes there are: adding one adds a file and a line here.
enum IndexMaintainers {
  /// Returns the maintainers that the documents of one collection id need.
  static func make(for rules: CollectionIndexRules) -> [any IndexMaintainer] {
    [ValueMaintainer(rules), ElementMaintainer(rules)]
      + rules.declared.filter(\.state.isMaintained).map { DeclaredMaintainer(rules, $0) }
  }
}

/// A document as index maintainers see it: its name, and its values already encoded.
package struct IndexedDocument {
  /// The document's path in its database.
  package let path: ResourcePath
  /// The collection that holds the document.
  package let collection: ResourcePath
  let values: IndexedValues
  private let id: [UInt8]

  /// Reads and encodes a document's values.
  package init(path: ResourcePath, fields: DocumentFields) {
    self.path = path
    collection = path.parent
    values = IndexedValues(fields)
    var bytes: [UInt8] = []
    IndexKey.appendName(path, scope: .collection, to: &bytes)
    id = bytes
  }

  /// The name part of the document's entries in a scope, ascending.
  func name(_ scope: IndexScope) -> [UInt8] {
    if scope == .collection { return id }
    var bytes: [UInt8] = []
    IndexKey.appendName(path, scope: scope, to: &bytes)
    return bytes
  }
}
