import BaseText
import FirestoreModel

/// One of the indexes that a single field can have.
package struct SingleFieldIndex: Sendable, Hashable {
  /// One collection, or all collections of an id.
  package let scope: IndexScope
  /// The values' direction, or array elements.
  package let mode: IndexFieldMode

  /// An index of one field in a scope.
  package init(_ scope: IndexScope, _ mode: IndexFieldMode) {
    self.scope = scope
    self.mode = mode
  }

  /// The indexes of a field without an override: both directions and contains, for its collection.
  package static let defaults: Set<SingleFieldIndex> = [
    SingleFieldIndex(.collection, .ascending),
    SingleFieldIndex(.collection, .descending),
    SingleFieldIndex(.collection, .contains),
  ]

  /// A number that sorts indexes the same way every time.
  var sortKey: Int { Int(scope.rawValue) * 10 + Int(mode.rawValue) }

  /// The entries that serve it: one ascending entry serves both directions.
  package var storage: AutomaticIndexKind {
    AutomaticIndexKind(scope: scope, elements: mode == .contains)
  }
}

/// A kind of automatic entry as it is stored.
package struct AutomaticIndexKind: Sendable, Hashable {
  /// One collection, or all collections of an id.
  package let scope: IndexScope
  /// One entry for each element of an array, instead of one for the value.
  package let elements: Bool

  /// The kind that holds values, or elements, in a scope.
  package init(scope: IndexScope, elements: Bool) {
    self.scope = scope
    self.elements = elements
  }

  /// The four kinds there are.
  package static let all: [AutomaticIndexKind] = IndexScope.allCases.flatMap { scope in
    [false, true].map { AutomaticIndexKind(scope: scope, elements: $0) }
  }
}

/// The exact list of single-field indexes of one field, and of the fields below it that have no
/// override of their own; an empty list exempts the field from indexing.
package struct FieldOverride: Sendable, Hashable {
  /// The id of the collections that the override is for.
  package let collectionID: Text
  /// `anyField` means all fields of the collection id.
  package let field: FieldPath
  /// All single-field indexes of the field; empty exempts it from indexing.
  package var indexes: Set<SingleFieldIndex>
  /// The kinds of entries that are not complete, or not complete for all past versions.
  package var states: [AutomaticIndexKind: IndexState]
  /// On its way back to the defaults; removed when no work is left.
  package var isReverting: Bool

  /// The path that means all fields, `*` in files: the path without names, which no field has.
  package static let anyField = FieldPath([])

  /// A field as files and errors spell it.
  package static func text(of field: FieldPath) -> String {
    field == anyField ? "*" : field.canonicalString
  }

  /// A list of indexes with the states of their entries.
  package init(
    collectionID: Text,
    field: FieldPath,
    indexes: Set<SingleFieldIndex>,
    states: [AutomaticIndexKind: IndexState] = [:],
    isReverting: Bool = false
  ) {
    self.collectionID = collectionID
    self.field = field
    self.indexes = indexes
    self.states = states
    self.isReverting = isReverting
  }

  /// The kinds of entries that the list asks for.
  package var storage: Set<AutomaticIndexKind> { Set(indexes.map(\.storage)) }

  /// Returns the state of one of the field's indexes, which says if queries may use it; nil if the
  /// list does not have it.
  package func state(of index: SingleFieldIndex) -> IndexState? {
    guard indexes.contains(index) else { return nil }
    return states[index.storage] ?? .ready(since: .zero)
  }
}
