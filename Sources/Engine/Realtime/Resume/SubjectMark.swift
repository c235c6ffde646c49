import BaseText
import FirestoreModel
import KeyValueStore

/// A number that distinguishes a target's subject from others, for resume tokens.
///
/// Equal subjects of databases of one name have equal marks, in every run of the program. Different
/// ones seldom have: a mark guards against mistakes, not against clients that mean harm to
/// themselves.
package struct SubjectMark: Sendable, Hashable, Comparable {
  let number: UInt32

  init(number: UInt32) { self.number = number }

  init(_ subject: ViewSubject, in database: DatabaseID) {
    var bytes: [UInt8] = []
    bytes.append(database.project)
    bytes.append(database.database)
    switch subject {
    case .documents(let paths):
      bytes.append(0)
      for path in paths { bytes.append(path) }
    case .query(let query):
      bytes.append(1)
      bytes.append(query)
    }
    let hash = KeyHash.of(bytes)
    number = UInt32(truncatingIfNeeded: hash ^ hash >> 32)
  }

  /// The order of the numbers, as tokens list them; it says nothing about the subjects.
  package static func < (left: SubjectMark, right: SubjectMark) -> Bool {
    left.number < right.number
  }
}

// A query as bytes that no other query has. Lists begin with their length.

extension [UInt8] {
  fileprivate mutating func append(_ text: Text) { SegmentEncoding.append(text, to: &self) }

  fileprivate mutating func append(_ path: ResourcePath) {
    SegmentEncoding.append(path, to: &self)
    append(SegmentEncoding.terminator)
  }

  fileprivate mutating func append(_ field: FieldPath) { SegmentEncoding.append(field, to: &self) }

  fileprivate mutating func append(_ number: Int) {
    appendBigEndian(UInt64(bitPattern: Int64(number)), to: &self)
  }

  fileprivate mutating func append(_ values: [Value]) {
    append(values.count)
    for value in values { OrderedEncoding.appendWhole(value, to: &self) }
  }

  fileprivate mutating func append(_ query: NormalizedQuery) {
    append(query.parent)
    switch query.scope {
    case .collection(let id):
      append(0 as UInt8)
      append(id)
    case .collectionGroup(let id):
      append(1 as UInt8)
      append(id)
    case .children: append(2 as UInt8)
    case .descendants: append(3 as UInt8)
    }
    append(query.disjuncts.count)
    for conditions in query.disjuncts {
      append(conditions.count)
      for condition in conditions { append(condition) }
    }
    append(query.orders.count)
    for order in query.orders {
      append(order.field)
      append(UInt8(order.direction.rawValue))
    }
    append(query.requiredFields.count)
    for field in query.requiredFields { append(field) }
    append(query.start)
    append(query.end)
    append(query.offset)
    append(query.limit ?? -1)
  }

  fileprivate mutating func append(_ condition: Condition) {
    append(condition.field)
    switch condition.test {
    case .equal(let value): append(0, [value])
    case .lessThan(let value): append(1, [value])
    case .lessThanOrEqual(let value): append(2, [value])
    case .greaterThan(let value): append(3, [value])
    case .greaterThanOrEqual(let value): append(4, [value])
    case .notEqual(let value): append(5, [value])
    case .notIn(let values): append(6, values)
    case .arrayContains(let value): append(7, [value])
    case .isNull: append(8, [])
    case .isNaN: append(9, [])
    case .isNotNull: append(10, [])
    case .isNotNaN: append(11, [])
    }
  }

  private mutating func append(_ test: UInt8, _ values: [Value]) {
    append(test)
    append(values)
  }

  fileprivate mutating func append(_ cursor: Cursor?) {
    append(cursor.map { $0.before ? 1 : 2 } ?? 0 as UInt8)
    append(cursor?.values ?? [])
  }
}
