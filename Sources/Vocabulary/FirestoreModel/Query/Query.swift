import BaseText

/// A structured query as a client sent it, decoded and syntactically valid.
///
/// `NormalizedQuery` (made by `normalized()`) has the implicit orders, the disjunctive normal form
/// and Firestore's checks behind it.
package struct Query: Sendable, Hashable {
  /// The documents that the query ranges over, below `parent`.
  package enum Scope: Sendable, Hashable {
    /// Documents of one direct child collection.
    case collection(Text)
    /// Documents of every collection of that id at any depth below the parent.
    case collectionGroup(Text)
    /// Documents of all direct child collections (`from` without a collection id).
    case children
    /// All documents below the parent, at any depth (what recursive deletes ask for).
    case descendants
  }

  /// The root or a document.
  package var parent: ResourcePath
  /// The collections that the query ranges over, below the parent.
  package var scope: Scope
  /// Nil accepts every document.
  package var filter: Filter?
  /// The explicit orders in their precedence, without the implicit ones.
  package var orders: [Order]
  /// The position at which results begin; nil is the first.
  package var start: Cursor?
  /// The position at which results end; nil is after the last.
  package var end: Cursor?
  /// Results to skip after the start cursor; a negative number fails `normalized()`.
  package var offset: Int
  /// Nil is no limit; zero is none of the results.
  package var limit: Int?
  /// Nil is the whole document; `[__name__]` and `[]` are keys only.
  package var projection: [FieldPath]?
  /// A search for nearest vectors among the matches; nil for an ordinary query.
  package var findNearest: FindNearest?

  /// A query over a scope, everything else to be set.
  package init(parent: ResourcePath = .root, scope: Scope) {
    self.parent = parent
    self.scope = scope
    orders = []
    offset = 0
  }
}

/// A condition on documents.
package indirect enum Filter: Sendable, Hashable {
  case field(FieldPath, FieldOperator, Value)
  case unary(FieldPath, UnaryOperator)
  case and([Filter])
  case or([Filter])

  /// Operators that compare with a value; raw values are the protocol's numbers.
  package enum FieldOperator: Int, Sendable, Hashable {
    case lessThan = 1
    case lessThanOrEqual = 2
    case greaterThan = 3
    case greaterThanOrEqual = 4
    case equal = 5
    case notEqual = 6
    case arrayContains = 7
    case `in` = 8
    case arrayContainsAny = 9
    case notIn = 10
  }

  /// Operators without a value; raw values are the protocol's numbers.
  package enum UnaryOperator: Int, Sendable, Hashable {
    case isNaN = 2
    case isNull = 3
    case isNotNaN = 4
    case isNotNull = 5
  }
}

/// One sort criterion.
package struct Order: Sendable, Hashable {
  /// Raw values are the protocol's numbers.
  package enum Direction: Int, Sendable, Hashable {
    case ascending = 1
    case descending = 2
  }

  /// The field to sort by; `__name__` sorts by the document's name.
  package let field: FieldPath
  /// The direction of the field's values in the results.
  package let direction: Direction

  /// Sorts by that field.
  package init(_ field: FieldPath, _ direction: Direction = .ascending) {
    self.field = field
    self.direction = direction
  }
}

/// A position in the sort order: a prefix of the orders' values.
package struct Cursor: Sendable, Hashable {
  /// Values of the first orders, in their order; at most one for each.
  package let values: [Value]
  /// Just before the documents with equal keys, or just after them.
  package let before: Bool

  /// A position before or after the documents with these values.
  package init(values: [Value], before: Bool) {
    self.values = values
    self.before = before
  }
}

/// An exact nearest-neighbour search over the query's documents.
package struct FindNearest: Sendable, Hashable {
  /// Raw values are the protocol's numbers.
  package enum Measure: Int, Sendable, Hashable {
    case euclidean = 1
    case cosine = 2
    case dotProduct = 3
  }

  /// The vector field; documents without a vector of the same dimension in it are no results.
  package let field: FieldPath
  /// The vector to search from, 1 to 2,048 numbers; not all zero for the cosine distance.
  package let vector: [Double]
  /// The measure of distance; results come nearest first, by dot product the greatest first.
  package let measure: Measure
  /// Between 1 and 1,000.
  package let limit: Int
  /// The field of each result that receives its distance; nil sends no distances.
  package let distanceResultField: FieldPath?
  /// The greatest distance of a result, for dot products the least product; nil accepts every distance.
  package let distanceThreshold: Double?

  /// A search for the `limit` nearest vectors.
  package init(
    field: FieldPath,
    vector: [Double],
    measure: Measure,
    limit: Int,
    distanceResultField: FieldPath? = nil,
    distanceThreshold: Double? = nil
  ) {
    self.field = field
    self.vector = vector
    self.measure = measure
    self.limit = limit
    self.distanceResultField = distanceResultField
    self.distanceThreshold = distanceThreshold
  }
}

/// One aggregation of an aggregation query.
package struct Aggregation: Sendable, Hashable {
  /// The function that is computed.
  package enum Operator: Sendable, Hashable {
    /// At most `upTo` are counted, if given.
    case count(upTo: Int64?)
    case sum(FieldPath)
    case average(FieldPath)
  }

  /// The name of the value in the response, unique in its query.
  package let alias: Text
  /// The function, and the field that it reads.
  package let `operator`: Operator

  /// An aggregation under a name.
  ///
  /// The decoder named unnamed ones `field_1`, `field_2` and so on.
  package init(alias: Text, operator: Operator) {
    self.alias = alias
    self.operator = `operator`
  }
}
