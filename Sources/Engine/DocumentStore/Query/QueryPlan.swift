import BaseText
import FirestoreModel

/// The plan of a query: one ordered source of candidates for each disjunct, merged.
///
/// A plan holds no data and no version; every pull of a cursor opens it again, behind the last
/// delivered document.
package struct QueryPlan: Sendable {
  /// The names that the query's scope covers.
  package let space: NameSpace
  /// Fields, then `__name__`.
  package let orders: [Order]
  /// The sources to merge, one for each disjunct that a document can satisfy.
  package let disjuncts: [DisjunctPlan]
  /// The index that production would ask for, where the plan does without.
  package let missingIndex: MissingIndex?
  /// The picture of the definitions that the plan was made for.
  package let generation: UInt64
  /// The vector field that a search compares in the documents it finds; nil for other queries.
  let vector: VectorIndexField?

  /// True if candidates come in the query's order, without sorting.
  var isDirect: Bool {
    disjuncts.allSatisfy { disjunct in
      if case .sort = disjunct.source { false } else { true }
    }
  }
}

/// The plan for finding one disjunct's documents.
package struct DisjunctPlan: Sendable {
  /// The source of candidates.
  package enum Source: Sendable {
    /// The documents of one collection, by id.
    case documents(collection: ResourcePath)
    /// The documents of several collections, by path.
    case collections(CollectionSet)
    /// Index entries, those that all legs have.
    case index([IndexLeg])
    /// One document, if it satisfies the query.
    case lookup(name: [UInt8])
    /// Whatever the plan below finds, read, filtered and sorted.
    indirect case sort(DisjunctPlan)
  }

  /// The source of an order's value.
  package enum Component: Sendable, Hashable {
    /// An equality fixes it: its encoding in the order's direction.
    case constant([UInt8])
    /// A value of the position, by index.
    case position(Int)
    /// The name, which ends every position.
    case name
  }

  /// The keys or documents that candidates are read from.
  package var source: Source
  /// True if the source runs backwards.
  package var isReversed: Bool
  /// The direction in which each value of a position is written.
  package var directions: [Order.Direction]
  /// The direction in which a position's name is written.
  package var nameDirection: Order.Direction
  /// One for each of the query's orders.
  package var components: [Component]
  /// Positions to read, as they are written.
  package var ranges: [PositionRange]
  /// Further conditions on the position's values, as they are written.
  package var valueConditions: [ValueCondition] = []
  /// A condition on the name, as it is written, where it does not lead the position.
  package var nameCondition: [PositionRange]?
  /// True if every candidate's document must be checked against the whole query.
  package var checksDocuments: Bool

  /// A condition on one value of a position.
  package struct ValueCondition: Sendable, Hashable {
    /// The value's place among the position's values, from zero.
    package let index: Int
    /// Ranges of encoded values; one of them must hold the value.
    package let ranges: [PositionRange]
  }

  /// True if the source delivers document records rather than values' tags.
  package var deliversRecords: Bool {
    switch source {
    case .documents, .collections: true
    case .index, .lookup, .sort: false
    }
  }
}

/// One index in which a disjunct reads entries with fixed leading values.
package struct IndexLeg: Sendable, Hashable {
  /// The entries' keys up to the position.
  package let prefix: [UInt8]
  /// Values that the prefix fixes: the position's first value has this index among the tags.
  package let leadingValues: Int
  /// One collection, or all collections of an id.
  package let scope: IndexScope
  /// The index's fields without the name.
  package let fields: [IndexedField]
  /// The direction of the names among equal values.
  package let nameDirection: Order.Direction
  /// The number of the declared index; nil for the automatic indexes of every field.
  var declared: UInt32?
  /// True if documents that lack some of the fields may have entries.
  var holdsAbsent = false
}

/// Several collections whose documents are read in the order of their paths.
package struct CollectionSet: Sendable, Hashable {
  /// The collections below the parent that are read.
  package enum Members: Sendable, Hashable {
    /// All of one id, at any depth.
    case group(Text)
    /// The parent's own collections.
    case children
    /// All at any depth.
    case descendants
  }

  /// The root or the document that the collections lie below.
  package let parent: ResourcePath
  /// The collections to read, below the parent.
  package let members: Members
}
