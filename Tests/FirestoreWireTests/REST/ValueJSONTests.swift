import BaseJSON
import DocumentCodec
import FirestoreModel
import ModelTestSupport
import SwiftProtobuf
import Testing

@testable import FirestoreWire

@Suite("Values as JSON")
struct ValueJSONTests {
  private static let valueType = "google.firestore.v1.Value"

  private static func read(_ json: String) throws -> Value {
    let tree = try JSONParser.parse(Array(json.utf8))
    let bytes = try JSONTranscoder().encode(tree, as: valueType)
    return try bytes.withUnsafeBytes { try DocumentCodec.operand($0) }
  }

  private static func write(_ value: Value) throws -> String {
    var writer = ProtobufWriter()
    writer.valueFields(value)
    return string(try MessageJSON.text(of: valueType, bytes: writer.bytes))
  }

  private static let pairs: [(Value, String)] = [
    (.null, #"{"nullValue":null}"#),
    (.boolean(false), #"{"booleanValue":false}"#),
    (.boolean(true), #"{"booleanValue":true}"#),
    (.integer(0), #"{"integerValue":"0"}"#),
    (.integer(.max), #"{"integerValue":"9223372036854775807"}"#),
    (.integer(.min), #"{"integerValue":"-9223372036854775808"}"#),
    (.double(0), #"{"doubleValue":0}"#),
    (.double(-0.0), #"{"doubleValue":-0.0}"#),
    (.double(3), #"{"doubleValue":3}"#),
    (.double(0.1), #"{"doubleValue":0.1}"#),
    (.double(1e300), #"{"doubleValue":1e+300}"#),
    (.double(.nan), #"{"doubleValue":"NaN"}"#),
    (.double(.infinity), #"{"doubleValue":"Infinity"}"#),
    (.double(-.infinity), #"{"doubleValue":"-Infinity"}"#),
    (.timestamp(Timestamp(microseconds: 0)), #"{"timestampValue":"1970-01-01T00:00:00Z"}"#),
    (
      .timestamp(Timestamp(microseconds: -62_135_596_800_000_000)),
      #"{"timestampValue":"0001-01-01T00:00:00Z"}"#
    ),
    (
      .timestamp(Timestamp(microseconds: 253_402_300_799_999_999)),
      #"{"timestampValue":"9999-12-31T23:59:59.999999Z"}"#
    ),
    (
      .timestamp(Timestamp(microseconds: 1_582_934_400_500_000)),
      #"{"timestampValue":"2020-02-29T00:00:00.500Z"}"#
    ),
    (.string(""), #"{"stringValue":""}"#),
    (.string("é\"\\\n\u{1}\u{10000}"), "{\"stringValue\":\"é\\\"\\\\\\n\\u0001\u{10000}\"}"),
    (.bytes([]), #"{"bytesValue":""}"#),
    (.bytes([0xFB, 0xFF]), #"{"bytesValue":"+/8="}"#),
    (.reference(name("c/d")), #"{"referenceValue":"\#(documentsPath)/c/d"}"#),
    (.geoPoint(GeoPoint(latitude: 0, longitude: 0)), #"{"geoPointValue":{}}"#),
    (
      .geoPoint(GeoPoint(latitude: 1.5, longitude: -2)),
      #"{"geoPointValue":{"latitude":1.5,"longitude":-2}}"#
    ),
    (.array([]), #"{"arrayValue":{}}"#),
    (
      .array([.integer(1), .null]),
      #"{"arrayValue":{"values":[{"integerValue":"1"},{"nullValue":null}]}}"#
    ),
    (.map(MapValue()), #"{"mapValue":{}}"#),
    (
      .map(MapValue([MapValue.Entry(key: "é", value: .map(MapValue()))])),
      #"{"mapValue":{"fields":{"é":{"mapValue":{}}}}}"#
    ),
    (
      .vector([1, -0.0]),
      #"{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":"#
        + #"{"values":[{"doubleValue":1},{"doubleValue":-0.0}]}}}}}"#
    ),
  ]

  @Test(arguments: pairs.indices)
  func `every type is written and read back`(index: Int) throws {
    let (value, json) = Self.pairs[index]
    #expect(try Self.write(value) == json)
    #expect(try Self.read(json) == value)
  }

  @Test(arguments: [
    (#"{"nullValue":"NULL_VALUE"}"#, Value.null), (#"{"nullValue":0}"#, .null),
    (#"{"integerValue":42}"#, .integer(42)), (#"{"integerValue":1e3}"#, .integer(1000)),
    (#"{"integerValue":"2.0"}"#, .integer(2)), (#"{"integer_value":"-1"}"#, .integer(-1)),
    (#"{"doubleValue":"1.5"}"#, .double(1.5)), (#"{"bytesValue":"-_8"}"#, .bytes([0xFB, 0xFF])),
    (#"{"bytesValue":"+/8"}"#, .bytes([0xFB, 0xFF])),
    (
      #"{"timestampValue":"1970-01-01T01:00:00.123456789+01:00"}"#,
      .timestamp(Timestamp(microseconds: 123_456))
    ),
    (
      #"{"timestampValue":"1969-12-31T23:00:00-01:00"}"#, .timestamp(Timestamp(microseconds: 0))
    ),
    (#"{"stringValue":"\u00e9\ud800\udc00\/"}"#, .string("é\u{10000}/")),
    (#"{"arrayValue":{"values":[]}}"#, .array([])),
    (#"{"mapValue":{"fields":null}}"#, .map(.init())),
  ])
  func `other spellings are read`(json: String, value: Value) throws {
    #expect(try Self.read(json) == value)
  }

  @Test func `any value survives both ways, and swift-protobuf reads it the same`() throws {
    var random = RandomRequests(seed: testSeed)
    for _ in 0..<500 {
      let value = random.value()
      let json = try Self.write(value)
      try #require(try Self.read(json) == value, "seed \(testSeed): \(json)")
      let theirs = try Google_Firestore_V1_Value(jsonString: json)
      let bytes: [UInt8] = try theirs.serializedBytes()
      let decoded = try bytes.withUnsafeBytes { try DocumentCodec.operand($0) }
      try #require(decoded == value, "seed \(testSeed): \(json)")
      let text = try Google_Firestore_V1_Value(value).jsonString()
      try #require(try Self.read(text) == value, "seed \(testSeed): \(text)")
    }
  }

  @Test func `keys that look alike stay apart`() throws {
    let map = MapValue([
      MapValue.Entry(key: "é", value: .integer(1)),
      MapValue.Entry(key: "e\u{301}", value: .integer(2)),
    ])
    let json = try Self.write(.map(map))
    #expect(try Self.read(json) == .map(map))
  }
}
