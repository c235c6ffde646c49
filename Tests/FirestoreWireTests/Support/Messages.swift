import BaseText
import FirestoreModel
import SwiftProtobuf

/// The model's types as generated messages: what an official client would send.

let database = DatabaseID(project: "p")
let databasePath = "projects/p/databases/(default)"
let documentsPath = "projects/p/databases/(default)/documents"

/// The name of a document in the tests' database.
func name(_ path: String) -> DocumentName {
  DocumentName(
    database: database,
    path: ResourcePath(path.split(separator: "/").map { Text(String($0)) })
  )
}

/// A field path of plain names.
func path(_ text: String) -> FieldPath {
  FieldPath(text.split(separator: ".").map { Text(String($0)) })
}

extension Message {
  /// The message's bytes as an array.
  var bytes: [UInt8] {
    get throws { try serializedBytes() }
  }
}

extension Google_Protobuf_Timestamp {
  init(_ instant: Timestamp) {
    self.init(seconds: instant.seconds, nanos: instant.nanos)
  }
}

extension Google_Firestore_V1_Value {
  init(_ value: Value) {
    self.init()
    switch value {
    case .null: nullValue = .nullValue
    case .boolean(let flag): booleanValue = flag
    case .integer(let number): integerValue = number
    case .double(let number): doubleValue = number
    case .timestamp(let instant): timestampValue = Google_Protobuf_Timestamp(instant)
    case .string(let text): stringValue = text.string
    case .bytes(let bytes): bytesValue.append(contentsOf: bytes)
    case .reference(let name): referenceValue = name.string
    case .geoPoint(let point):
      geoPointValue.latitude = point.latitude
      geoPointValue.longitude = point.longitude
    case .array(let elements): arrayValue = Google_Firestore_V1_ArrayValue(elements)
    case .map(let map): mapValue = Google_Firestore_V1_MapValue(map)
    case .bson(let value): mapValue = Google_Firestore_V1_MapValue(value.map)
    case .vector(let numbers):
      mapValue.fields["__type__"] = Google_Firestore_V1_Value(.string("__vector__"))
      mapValue.fields["value"] = Google_Firestore_V1_Value(.array(numbers.map(Value.double)))
    }
  }
}

extension Google_Firestore_V1_ArrayValue {
  init(_ elements: [Value]) {
    self.init()
    values = elements.map(Google_Firestore_V1_Value.init)
  }
}

extension Google_Firestore_V1_MapValue {
  init(_ map: MapValue) {
    self.init()
    fields = map.messages
  }
}

extension MapValue {
  /// The entries as a generated map.
  var messages: [String: Google_Firestore_V1_Value] {
    Dictionary(
      entries.map { ($0.key.string, Google_Firestore_V1_Value($0.value)) },
      uniquingKeysWith: { $1 }
    )
  }
}

extension Google_Firestore_V1_Write {
  init(_ write: Write, fields: MapValue = MapValue()) {
    self.init()
    let transforms = write.transforms.map(
      Google_Firestore_V1_DocumentTransform.FieldTransform.init
    )
    switch write.operation {
    case .update(_, let mask):
      update.name = write.name.string
      update.fields = fields.messages
      if let mask { updateMask.fieldPaths = mask.map(\.canonicalString) }
      updateTransforms = transforms
    case .delete: delete = write.name.string
    case .verify: verify = write.name.string
    case .transform:
      transform.document = write.name.string
      transform.fieldTransforms = transforms
    }
    switch write.precondition {
    case .exists(let flag)?: currentDocument.exists = flag
    case .updateTime(let version)?:
      currentDocument.updateTime = Google_Protobuf_Timestamp(version.timestamp)
    case nil: break
    }
  }
}

extension Google_Firestore_V1_DocumentTransform.FieldTransform {
  init(_ transform: FieldTransform) {
    self.init()
    fieldPath = transform.field.canonicalString
    switch transform.operation {
    case .serverTimestamp: setToServerValue = .requestTime
    case .increment(let value): increment = Google_Firestore_V1_Value(value)
    case .maximum(let value): maximum = Google_Firestore_V1_Value(value)
    case .minimum(let value): minimum = Google_Firestore_V1_Value(value)
    case .appendMissingElements(let values):
      appendMissingElements = Google_Firestore_V1_ArrayValue(values)
    case .removeAllFromArray(let values):
      removeAllFromArray = Google_Firestore_V1_ArrayValue(values)
    }
  }
}

extension Google_Firestore_V1_StructuredQuery {
  init(_ query: Query) {
    self.init()
    switch query.scope {
    case .collection(let id): from = [Self.selector(id.string, false)]
    case .collectionGroup(let id): from = [Self.selector(id.string, true)]
    case .children: break
    case .descendants: from = [Self.selector("", true)]
    }
    if let filter = query.filter { `where` = Filter(filter) }
    orderBy = query.orders.map { order in
      var message = Order()
      message.field.fieldPath = order.field.canonicalString
      message.direction = order.direction == .ascending ? .ascending : .descending
      return message
    }
    if let start = query.start { startAt = Google_Firestore_V1_Cursor(start) }
    if let end = query.end { endAt = Google_Firestore_V1_Cursor(end) }
    offset = Int32(query.offset)
    if let limit = query.limit { self.limit = Google_Protobuf_Int32Value(Int32(limit)) }
    if let projection = query.projection {
      select.fields = projection.map { path in
        var reference = FieldReference()
        reference.fieldPath = path.canonicalString
        return reference
      }
    }
  }

  private static func selector(_ id: String, _ all: Bool) -> CollectionSelector {
    var selector = CollectionSelector()
    selector.collectionID = id
    selector.allDescendants = all
    return selector
  }
}

extension Google_Firestore_V1_Cursor {
  init(_ cursor: Cursor) {
    self.init()
    values = cursor.values.map(Google_Firestore_V1_Value.init)
    before = cursor.before
  }
}

extension Google_Firestore_V1_StructuredQuery.Filter {
  init(_ filter: Filter) {
    self.init()
    switch filter {
    case .field(let path, let op, let value):
      fieldFilter.field.fieldPath = path.canonicalString
      fieldFilter.op = .init(rawValue: op.rawValue) ?? .unspecified
      fieldFilter.value = Google_Firestore_V1_Value(value)
    case .unary(let path, let op):
      unaryFilter.field.fieldPath = path.canonicalString
      unaryFilter.op = .init(rawValue: op.rawValue) ?? .unspecified
    case .and(let filters):
      compositeFilter.op = .and
      compositeFilter.filters = filters.map(Self.init)
    case .or(let filters):
      compositeFilter.op = .or
      compositeFilter.filters = filters.map(Self.init)
    }
  }
}
