import BaseText
import FirestoreModel

/// The number of an index of the cache.
package typealias IndexID = Int64

/// An index of the cache: the documents of all collections of an id, in the order of values of their fields.
///
/// It has an entry for a document that has all of the fields, one for each different element where
/// a field is `contains`. Entries are of the server's data; pending writes are checked beside the
/// index.
package struct FieldIndex: Sendable, Hashable {
  /// The way in which an index orders a field, or that it has the field's elements.
  package enum Kind: Int64, Sendable, Hashable {
    case ascending = 1
    case descending = 2
    case contains = 3
  }

  /// A field of an index.
  package struct Field: Sendable, Hashable {
    /// The field's path in each document.
    package let path: FieldPath
    /// The direction of the field's values, or `contains` for the elements of an array.
    package let kind: Kind

    /// A field; never `__name__`, by which equal entries are ordered.
    package init(_ path: FieldPath, _ kind: Kind) {
      self.path = path
      self.kind = kind
    }
  }

  /// The collection and the fields of an index.
  package struct Definition: Sendable, Hashable {
    /// The id of the collections, at every depth of the database.
    package let collectionID: Text
    /// Never empty; at most one is `contains`.
    package let fields: [Field]

    /// A definition; nil for one without fields, with a field twice or with several arrays.
    package init?(_ collectionID: Text, _ fields: [Field]) {
      guard !fields.isEmpty, Set(fields.map(\.path)).count == fields.count,
        fields.count(where: { $0.kind == .contains }) <= 1,
        !fields.contains(where: { $0.path.isDocumentName })
      else { return nil }
      self.collectionID = collectionID
      self.fields = fields
    }
  }

  /// The progress of making an index.
  package enum Progress: Sendable, Hashable {
    /// Documents up to this one, in the order of collections and then of names, have their entries, and so has every
    /// document that was saved since.
    case building(after: ResourcePath?)
    case complete
  }

  /// The index's number, its key in the store.
  package let id: IndexID
  /// The collections and the fields of the index.
  package let definition: Definition
  /// The extent of documents that have their entries; only a complete index answers queries.
  package var progress: Progress

  /// An index.
  package init(id: IndexID, definition: Definition, progress: Progress) {
    self.id = id
    self.definition = definition
    self.progress = progress
  }
}

/// The entries of an index between two keys, the upper one excluded.
package struct IndexRange: Sendable, Hashable {
  /// The smallest key of the range.
  package let lower: [UInt8]
  /// The first key behind the range.
  package let upper: [UInt8]
}

extension FieldIndex.Definition {
  /// The keys of a document's entries; empty where the index has none for it.
  func keys(of document: CachedDocument) -> [[UInt8]] {
    guard let fields = document.fields else { return [] }
    var keys: [[UInt8]] = [[]]
    for field in self.fields {
      guard let value = fields.value(at: field.path) else { return [] }
      let parts = field.parts(of: value)
      keys = keys.flatMap { key in parts.map { key + $0 } }
    }
    return keys
  }
}

extension FieldIndex.Field {
  /// The parts of keys that a value gives: none for a value without elements where they are asked for.
  fileprivate func parts(of value: Value) -> [[UInt8]] {
    guard kind == .contains else { return [part(value)] }
    guard case .array(let elements) = value else { return [] }
    return Array(Set(elements.map(part)))
  }

  /// The part of a key for a value, or for an element of an array.
  func part(_ value: Value) -> [UInt8] {
    var bytes: [UInt8] = []
    OrderedEncoding.appendWhole(value, to: &bytes)
    if kind == .descending { OrderedEncoding.invert(&bytes, from: 0) }
    return bytes
  }
}
