/// Firestore's limits (Standard edition), in bytes where not said otherwise.
package enum Limits {
  /// A document: its name, its fields and 32 bytes.
  package static let documentSize = 1_048_576
  /// One string or bytes value: a mebibyte less 89 bytes.
  package static let valueSize = 1_048_487
  /// Maps and arrays inside one another.
  package static let nestingDepth = 20
  /// A field's name in UTF-8, and the alias of an aggregation.
  package static let fieldNameSize = 1_500
  /// A field path as it is spelled, with its dots and backticks.
  package static let fieldPathSize = 1_500
  /// A collection's or document's id in UTF-8.
  package static let idSize = 1_500
  /// A full resource name, from `projects/` on.
  package static let nameSize = 6 * 1_024
  /// Collections inside one another.
  package static let collectionDepth = 100
  /// Numbers in a vector.
  package static let vectorDimension = 2_048

  /// A request of any method.
  package static let requestSize = 11 << 20
  /// A request that writes.
  package static let commitSize = 10 << 20
  /// Writes of a BatchWrite; a Commit is bounded by its size alone.
  package static let batchWrites = 500
  /// Transforms of one document in one commit.
  package static let transforms = 500
  /// Index entries of one document, all indexes together.
  package static let indexEntries = 40_000
  /// One index entry, counted as Firestore does.
  package static let indexEntrySize = 7_680
  /// All index entries of a document together.
  package static let indexEntriesSize = 8 << 20

  /// Disjuncts of a filter in disjunctive normal form.
  package static let disjunctions = 30
  /// Values of an `in` or `array-contains-any` filter.
  package static let inValues = 30
  /// Values of a `not-in` filter.
  package static let notInValues = 10
  /// Distinct fields under inequalities in one query, without `__name__`.
  package static let inequalityFields = 10
  /// Filters, sort orders and the ancestor together.
  package static let queryComponents = 100
  /// Aggregations of one aggregation query.
  package static let aggregations = 5
  /// Results of a nearest-neighbour search.
  package static let nearestNeighbours = 1_000
}
