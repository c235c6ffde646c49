/// Firestore's limits (Standard edition), in bytes where not said otherwise.
package enum Limits {
  /// A document: its name, its fields and 32 bytes.
  package static let documentSize = 1_048_576
  package static let valueSize = 1_048_487
  /// Maps and arrays inside one another.
  package static let nestingDepth = 20
  package static let fieldNameSize = 1_500
  package static let fieldPathSize = 1_500
  package static let idSize = 1_500
  package static let nameSize = 6 * 1_024
  /// Collections inside one another.
  package static let collectionDepth = 100
  package static let vectorDimension = 2_048

  /// A request of any method.
  package static let requestSize = 11 << 20
  /// A request that writes.
  package static let commitSize = 10 << 20
  /// Writes of a BatchWrite; a Commit is bounded by its size alone.
  package static let batchWrites = 500
  /// Transforms of one document in one commit.
  package static let transforms = 500
  package static let indexEntries = 40_000
  package static let indexEntrySize = 7_680
  /// All index entries of a document together.
  package static let indexEntriesSize = 8 << 20

  package static let disjunctions = 30
  package static let inValues = 30
  package static let notInValues = 10
  package static let inequalityFields = 10
  /// Filters, sort orders and the ancestor together.
  package static let queryComponents = 100
  package static let aggregations = 5
  package static let nearestNeighbours = 1_000
}
