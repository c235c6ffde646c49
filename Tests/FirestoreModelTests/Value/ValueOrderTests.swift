import BaseText
import FirestoreModel
import Testing

@Suite struct ValueOrderTests {
  /// Ascending, no two equal.
  static let ladder: [Value] = [
    .null, .boolean(false), .boolean(true), .double(.nan), .double(-.infinity),
    .double(-0x1p63.nextUp - 4_096), .integer(.min), .integer(.min + 1), .double(-0x1p53),
    .integer(-1), .double(-0.5), .integer(0), .double(.leastNonzeroMagnitude), .integer(1),
    .double(1.5), .integer(1 << 53 - 1), .double(0x1p53), .integer(1 << 53 + 1),
    .double(0x1p53.nextUp), .integer(.max - 1), .integer(.max), .double(0x1p63),
    .double(.infinity), .timestamp(Timestamp(microseconds: -1)),
    .timestamp(Timestamp(microseconds: 0)), .string(""), .string("\u{0}"), .string("a"),
    .string("a\u{0}"), .string("a\u{0}b"), .string("aa"), .string("e\u{301}"), .string("é"),
    .string("\u{FFFF}"), .string("\u{10000}"), .bytes([]), .bytes([0]), .bytes([0, 0]),
    .bytes([1]), .bytes([0xFF]), reference("a", "__id-5__"), reference("a", "__id7__"),
    reference("a", "__id10__"), reference("a", "0"), reference("a", "b"),
    reference("a", "b", "c", "d"), reference("a", "c"), reference("b", "a"),
    .geoPoint(GeoPoint(latitude: -1, longitude: 5)), .geoPoint(GeoPoint(latitude: 1, longitude: 0)),
    .geoPoint(GeoPoint(latitude: 1, longitude: 2)), .array([]), .array([.null]),
    .array([.integer(1)]), .array([.integer(1), .null]), .array([.integer(2)]),
    .array([.map(MapValue())]),
    .vector([9]), .vector([-1, 5]), .vector([1, 0]), .vector([1, 2]), .map(MapValue()),
    map(["a": .integer(1)]), map(["a": .integer(1), "b": .null]), map(["a": .integer(2)]),
    map(["a\u{0}": .null]), map(["b": .null]),
  ]

  @Test func `values of all types form one ladder`() {
    for (low, left) in Self.ladder.enumerated() {
      for (high, right) in Self.ladder.enumerated() {
        #expect(left.compare(right) == Ordering(low, high), "\(left) and \(right)")
      }
    }
  }

  @Test(arguments: [
    (Value.integer(3), Value.double(3)), (.double(0), .double(-0.0)), (.integer(0), .double(-0.0)),
    (.double(.nan), .double(Double(bitPattern: 0xFFF8_0000_0000_0001))),
    (.array([.integer(1)]), .array([.double(1)])),
    (
      .timestamp(Timestamp(microseconds: 5)),
      .timestamp(Timestamp(seconds: 0, nanos: 5_999) ?? Timestamp(microseconds: 0))
    ),
  ])
  func `numbers are equal by value and distinct as stored`(left: Value, right: Value) {
    #expect(left.isEqual(to: right))
    #expect(left != right)
    #expect(left == left)
    #expect(Set([left, left]).count == 1)
  }

  @Test func `sizes follow Firestore's arithmetic`() {
    #expect(Value.string("é").byteSize == 3)
    #expect(reference("users", "abc").byteSize == 16 + 6 + 4)
    #expect(
      map(["ab": .array([.integer(1), .null]), "v": .vector([1, 2])]).byteSize == 3 + 9 + 2 + 16
    )
  }

  @Test func `a map keeps the last of equal keys, sorted by bytes`() {
    let map = MapValue([
      MapValue.Entry(key: "b", value: .integer(1)), MapValue.Entry(key: "a", value: .null),
      MapValue.Entry(key: "b", value: .integer(2)),
    ])
    #expect(map.entries.map(\.key) == ["a", "b"])
    #expect(map["b"] == .integer(2))
  }
}

func reference(_ segments: Text...) -> Value {
  .reference(DocumentName(database: DatabaseID(project: "p"), path: ResourcePath(segments)))
}

func map(_ fields: [String: Value]) -> Value { .map(mapValue(fields)) }

func mapValue(_ fields: [String: Value]) -> MapValue {
  MapValue(fields.map { MapValue.Entry(key: Text($0.key), value: $0.value) })
}
