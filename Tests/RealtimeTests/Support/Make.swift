import BaseText
import DocumentCodec
import FirestoreModel

/// Short ways to say documents, writes and queries.
extension ResourcePath: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) {
    self.init(value.split(separator: "/").map { Text(String($0)) })
  }
}

extension FieldPath: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) {
    self.init(value.split(separator: ".").map { Text(String($0)) })
  }
}

func map(_ fields: KeyValuePairs<String, Value>) -> MapValue {
  MapValue(fields.map { MapValue.Entry(key: Text($0.key), value: $0.value) })
}

func set(
  _ path: ResourcePath,
  _ fields: KeyValuePairs<String, Value>,
  in database: DatabaseID = HubFixture.id
) -> Write {
  set(path, map(fields), in: database)
}

func set(_ path: ResourcePath, _ fields: MapValue, in database: DatabaseID = HubFixture.id) -> Write
{
  Write(
    name: DocumentName(database: database, path: path),
    operation: .update(DocumentFields(encoding: fields), mask: nil),
    transforms: [],
    precondition: nil
  )
}

func delete(_ path: ResourcePath, in database: DatabaseID = HubFixture.id) -> Write {
  Write(
    name: DocumentName(database: database, path: path),
    operation: .delete,
    precondition: nil
  )
}

func query(
  _ collection: Text,
  below parent: ResourcePath = .root,
  where filter: Filter? = nil,
  order: [Order] = [],
  limit: Int? = nil
) -> Query {
  var query = Query(parent: parent, scope: .collection(collection))
  query.filter = filter
  query.orders = order
  query.limit = limit
  return query
}

func equal(_ field: FieldPath, _ value: Value) -> Filter { .field(field, .equal, value) }
