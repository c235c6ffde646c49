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
