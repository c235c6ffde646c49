import BaseStatus
import BaseText
import DocumentCodec
import FirestoreModel
import ModelTestSupport

let name = DocumentName(
  database: DatabaseID(project: "p"),
  path: ResourcePath(["c", "d"])
)

/// A field of every type.
let sample: MapValue = [
  "array": .array([.integer(1), .double(-0.0), .string("x"), ["k": .null]]),
  "bool": .boolean(true), "bytes": .bytes([0, 255]), "double": .double(2.5), "empty": [:],
  "geo": .geoPoint(GeoPoint(latitude: 0, longitude: -180)), "int": .integer(-7),
  "map": ["z": .integer(1), "inner": ["deep": .string("é")]], "null": .null,
  "ref": .reference(name), "string": .string(""),
  "time": .timestamp(Timestamp(microseconds: -1)), "vector": .vector([1, -0.0]),
]

extension MapValue: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (Text, Value)...) {
    self.init(elements.map { Entry(key: $0.0, value: $0.1) })
  }
}

extension Value: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (Text, Value)...) {
    self = .map(MapValue(elements.map { MapValue.Entry(key: $0.0, value: $0.1) }))
  }
}

extension RandomValues {
  /// A map whose names and values a document may hold.
  mutating func storableMap() -> MapValue {
    let map = map()
    let isFine = map.entries.allSatisfy { isStorable($0.value) }
    return isFine ? map : MapValue()
  }

  private func isStorable(_ value: Value) -> Bool {
    (try? DocumentCodec.checkStorable(value, inArray: false)) != nil
  }
}

/// One entry of a document's fields.
func entry(_ key: String, _ value: Value) -> [UInt8] {
  var writer = ProtobufWriter()
  writer.mapEntry(2, Text(key), value)
  return writer.bytes
}

/// An entry whose value is given as bytes.
func raw(_ key: String, _ value: [UInt8]) -> [UInt8] {
  var writer = ProtobufWriter()
  writer.message(2) {
    $0.string(1, key)
    $0.content(2, value)
  }
  return writer.bytes
}

/// The map entry that begins a vector, and nothing after it.
let marker = encoded(["__type__": .string("__vector__")])

func encoded(_ value: Value) -> [UInt8] {
  var writer = ProtobufWriter()
  writer.valueFields(value)
  return writer.bytes
}

/// That many maps inside one another.
func nested(_ depth: Int) -> Value {
  (0..<depth).reduce(.null) { inner, _ in ["m": inner] }
}

/// The text that a document of these fields is refused with; nil where it is not.
func refusal(_ fields: [UInt8]) -> String? {
  do throws(ServiceError) {
    _ = try DocumentCodec.validate(fields, name: name)
    return nil
  } catch {
    return error.message
  }
}
