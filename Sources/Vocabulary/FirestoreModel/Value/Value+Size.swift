// Firestore's size arithmetic: what a value counts towards a document's 1 MiB.

extension Value {
  /// The bytes that Firestore counts for the value.
  package var byteSize: Int {
    switch self {
    case .null, .boolean: 1
    case .integer, .double, .timestamp: 8
    case .string(let text): text.byteCount + 1
    case .bytes(let bytes): bytes.count
    case .reference(let name): name.path.byteSize
    case .geoPoint: 16
    case .array(let elements): elements.reduce(0) { $0 + $1.byteSize }
    case .vector(let numbers): numbers.count * 8
    case .map(let map): map.byteSize
    case .bson(let value): value.byteSize
    }
  }
}

extension BSONValue {
  /// The bytes that count for the value: those of its content.
  package var byteSize: Int {
    switch self {
    case .minKey, .maxKey: 1
    case .int32: 4
    case .decimal: 16
    case .objectID: 12
    case .timestamp: 8
    case .binary(_, let bytes): bytes.count + 1
    case .regex(let pattern, let options): pattern.byteCount + options.byteCount + 2
    }
  }
}

extension MapValue {
  /// The bytes that Firestore counts for keys and values.
  package var byteSize: Int { entries.reduce(0) { $0 + $1.key.byteCount + 1 + $1.value.byteSize } }
}

extension ResourcePath {
  /// The bytes that Firestore counts for a name of this path.
  package var byteSize: Int { segments.reduce(16) { $0 + $1.byteCount + 1 } }
}
