import BaseText
import FirestoreModel

/// A map of one entry or more.
func map(_ key: String, _ value: Value, _ more: (String, Value)...) -> Value {
  let entries = [(key, value)] + more
  return .map(MapValue(entries.map { MapValue.Entry(key: Text($0.0), value: $0.1) }))
}

/// A reference to a document of the tests' database.
func ref(_ path: String) -> Value {
  let segments = path.split(separator: "/").map { Text(String($0)) }
  return .reference(
    DocumentName(database: DatabaseID(project: "demo"), path: ResourcePath(segments))
  )
}

/// A timestamp of microseconds.
func time(_ microseconds: Int64) -> Value { .timestamp(Timestamp(microseconds: microseconds)) }

/// A decimal128.
func decimal(_ text: String) -> Value { .bson(.decimal(Decimal128(text) ?? .nan)) }

/// Values of BSON types in rows.
enum BSONSamples {
  static let id = Value.bson(.objectID(BSONObjectID(high: 1, low: 2)))
  static let tenth = decimal("0.1")
}
