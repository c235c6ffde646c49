import BaseText
import FirestoreModel

// A `google.firestore.v1.Value` has one field, numbered by its type; a map's entry is a message
// {key 1, value 2}; a vector is the map {__type__: "__vector__", value: [doubles]}.

extension ProtobufWriter {
  /// Writes a field of type `google.firestore.v1.Value`.
  package mutating func value(_ field: Int, _ value: Value) {
    message(field) { $0.valueFields(value) }
  }

  /// Writes the fields of a `google.firestore.v1.Value`.
  package mutating func valueFields(_ value: Value) {
    switch value {
    case .null: varint(ValueField.null, 0)
    case .boolean(let flag): bool(ValueField.boolean, flag)
    case .integer(let number): int64(ValueField.integer, number)
    case .double(let number): double(ValueField.double, number)
    case .timestamp(let instant): timestamp(ValueField.timestamp, instant)
    case .string(let content): text(ValueField.string, content)
    case .bytes(let content): self.content(ValueField.bytes, content)
    case .reference(let name): string(ValueField.reference, name.string)
    case .geoPoint(let point):
      message(ValueField.geoPoint) {
        if point.latitude.bitPattern != 0 { $0.double(1, point.latitude) }
        if point.longitude.bitPattern != 0 { $0.double(2, point.longitude) }
      }
    case .array(let elements):
      message(ValueField.array) { for element in elements { $0.value(1, element) } }
    case .map(let map): message(ValueField.map) { $0.mapEntries(1, map) }
    case .bson(let value): message(ValueField.map) { $0.mapEntries(1, value.map) }
    case .vector(let numbers): message(ValueField.map) { $0.vectorEntries(numbers) }
    }
  }

  /// Writes the entries of a `map<string, Value>` field.
  package mutating func mapEntries(_ field: Int, _ map: MapValue) {
    for entry in map.entries { mapEntry(field, entry.key, entry.value) }
  }

  /// Writes one entry of a `map<string, Value>` field.
  package mutating func mapEntry(_ field: Int, _ key: Text, _ value: Value) {
    message(field) {
      $0.text(1, key)
      $0.value(2, value)
    }
  }

  /// Writes a field of type `google.protobuf.Timestamp`.
  package mutating func timestamp(_ field: Int, _ instant: Timestamp) {
    message(field) {
      if instant.seconds != 0 { $0.int64(1, instant.seconds) }
      if instant.nanos != 0 { $0.int64(2, Int64(instant.nanos)) }
    }
  }

  private mutating func vectorEntries(_ numbers: [Double]) {
    mapEntry(1, "__type__", .string("__vector__"))
    message(1) {
      $0.string(1, "value")
      $0.message(2) {
        $0.message(ValueField.array) { array in
          for number in numbers { array.value(1, .double(number)) }
        }
      }
    }
  }
}

/// The field numbers of `google.firestore.v1.Value`.
package enum ValueField {
  /// `boolean_value`, a bool.
  package static let boolean = 1
  /// `integer_value`, an int64.
  package static let integer = 2
  /// `double_value`, a double.
  package static let double = 3
  /// `reference_value`, a document's full resource name as a string.
  package static let reference = 5
  /// `map_value`, a message whose field 1 has the entries; vectors are written as maps too.
  package static let map = 6
  /// `geo_point_value`, a `google.type.LatLng`.
  package static let geoPoint = 8
  /// `array_value`, a message whose field 1 has the elements.
  package static let array = 9
  /// `timestamp_value`, a `google.protobuf.Timestamp`.
  package static let timestamp = 10
  /// `null_value`, an enum whose only number is 0.
  package static let null = 11
  /// `string_value`, UTF-8.
  package static let string = 17
  /// `bytes_value`.
  package static let bytes = 18
}
