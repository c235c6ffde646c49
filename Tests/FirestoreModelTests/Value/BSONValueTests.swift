import BaseStatus
import BaseText
import FirestoreModel
import ModelTestSupport
import Testing

@Suite struct BSONValueTests {
  static let id = BSONValue.objectID(BSONObjectID(high: 0x507F_191E, low: 0x810C_1972_9DE8_60EA))

  /// One value of each class, in the order of Firestore's classes.
  static let classes: [Value] = [
    .null, .bson(.minKey), .boolean(true), .bson(.decimal(.nan)), .bson(.int32(1)),
    .timestamp(Timestamp(microseconds: 1)),
    .bson(.timestamp(BSONTimestamp(seconds: 1, increment: 1))), .string("a"), .bytes([1]),
    .bson(.binary(subtype: 1, [])),
    .reference(DocumentName(database: DatabaseID(project: "p"), path: ResourcePath(["c", "d"]))),
    .bson(id), .geoPoint(GeoPoint(latitude: 1, longitude: 1)),
    .bson(.regex(pattern: "a", options: "")), .array([]), .vector([1]), .map(MapValue()),
    .bson(.maxKey),
  ]

  /// Values of one class, ascending.
  static let ladders: [[Value]] = [
    [
      decimal("-Infinity"), decimal("-1E+400"), .double(-.greatestFiniteMagnitude),
      decimal("-9223372036854775808.5"), .integer(.min), decimal("-0.1"),
      .double(-.leastNonzeroMagnitude), decimal("-1E-6176"), .bson(.int32(0)), decimal("1E-6176"),
      decimal("1E-400"), .double(.leastNonzeroMagnitude), decimal("0.1"), .double(0.1),
      decimal("0.1000000000000000055511151231257828"), .bson(.int32(3)),
      decimal("3.000000000000000000000000000000001"), .double(3.0.nextUp),
      .integer(9_007_199_254_740_993), decimal("9007199254740993.5"),
      .integer(9_007_199_254_740_994), .integer(.max), decimal("9223372036854775807.5"),
      .double(0x1p63), decimal("9223372036854775808.5"), .double(.greatestFiniteMagnitude),
      decimal("1E+400"), .double(.infinity),
    ],
    [
      .bson(.timestamp(BSONTimestamp(seconds: 1, increment: 9))),
      .bson(.timestamp(BSONTimestamp(seconds: 2, increment: 0))),
      .bson(.timestamp(BSONTimestamp(seconds: .max, increment: .max))),
    ],
    [
      .bson(.binary(subtype: 1, [9])), .bson(.binary(subtype: 2, [])),
      .bson(.binary(subtype: 2, [0])), .bson(.binary(subtype: 255, [0])),
    ],
    [
      .bson(.objectID(BSONObjectID(high: 0, low: .max))),
      .bson(.objectID(BSONObjectID(high: 1, low: 0))), .bson(id),
    ],
    [
      .bson(.regex(pattern: "a", options: "i")), .bson(.regex(pattern: "a", options: "m")),
      .bson(.regex(pattern: "ab", options: "")),
    ],
  ]

  private static func decimal(_ text: String) -> Value {
    .bson(.decimal(Decimal128(text) ?? .nan))
  }

  @Test(arguments: [classes] + ladders) func `values are in order`(_ ladder: [Value]) {
    for (low, left) in ladder.enumerated() {
      for (high, right) in ladder.enumerated() {
        let order = Ordering(low, high)
        #expect(left.compare(right) == order, "\(left) and \(right)")
        #expect(compare(encoded(left, .ascending), encoded(right, .ascending)) == order)
        #expect(OrderedEncoding.tagRange(of: left.typeOrder).contains(encoded(left, .ascending)[0]))
      }
    }
  }

  @Test(arguments: [
    ("1", "1.00"), ("0", "-0"), ("0E+10", "0"), ("1E+2", "100"), ("inf", "Infinity"),
    ("NaN", "-nan"),
  ])
  func `decimals are equal by value`(_ pair: (String, String)) {
    let (left, right) = (Self.decimal(pair.0), Self.decimal(pair.1))
    #expect(left.isEqual(to: right))
    #expect(encoded(left, .ascending) == encoded(right, .ascending))
  }

  @Test func `numbers of all types are equal by value`() {
    let ones: [Value] = [.integer(1), .double(1), .bson(.int32(1)), Self.decimal("1.0")]
    for left in ones {
      for right in ones {
        #expect(left.isEqual(to: right))
        #expect(encoded(left, .ascending) == encoded(right, .ascending))
      }
    }
    #expect(Set(ones).count == 4)
    #expect(Value.double(.nan).isEqual(to: Self.decimal("NaN")))
    #expect(!Self.decimal("0.1").isEqual(to: .double(0.1)))
  }

  @Test(arguments: [
    ("0.10", "0.10"), ("1E+3", "1E+3"), ("1000", "1000"), ("-0", "-0"), ("+007", "7"),
    ("1e-7", "1E-7"), ("0.000001", "0.000001"), ("0.0000001", "1E-7"), ("-inf", "-Infinity"),
    ("INF", "Infinity"), ("nan", "NaN"), ("12.5E5", "1.25E+6"), (".5", "0.5"), ("5.", "5"),
    ("0.0E+5", "0E+4"),
    (
      "12345678901234567890123456789012340",
      "1.234567890123456789012345678901234E+34"
    ),
  ])
  func `decimals have one spelling`(_ pair: (String, String)) {
    #expect(Decimal128(pair.0)?.text == pair.1)
    #expect(Decimal128(pair.1)?.text == pair.1)
  }

  @Test(arguments: [
    "", "-", ".", "1e", "1e+", "x", "1x", "1..2", "0x1", "1E+6145", "1E-6177", "--1", "1 ",
    "12345678901234567890123456789012345", "1E999999999999999999999", "infinit",
  ])
  func `texts that are no decimals`(_ text: String) { #expect(Decimal128(text) == nil) }

  @Test func `exact values of decimals`() {
    #expect(Decimal128("3.0")?.exactInteger == 3)
    #expect(Decimal128("9223372036854775808")?.exactInteger == nil)
    #expect(Decimal128("9223372036854775808")?.exactDouble == 0x1p63)
    #expect(Decimal128("-9223372036854775808")?.exactInteger == .min)
    #expect(Decimal128("0.5")?.exactDouble == 0.5)
    #expect(Decimal128("0.1")?.exactDouble == nil)
    #expect(Decimal128("0.1")?.nearest == 0.1)
    #expect(Decimal128("1E+6144")?.nearest == .infinity)
    #expect(Decimal128("1.50")?.reduced == Decimal128("1.5"))
  }

  @Test func `random values come back from their maps and encodings`() throws {
    var random = RandomValues(seed: testSeed)
    for _ in 0..<5_000 {
      guard case .bson(let value) = random.bson() else { continue }
      #expect(try BSONValue.value(of: value.map) == .bson(value), "seed \(testSeed)")
      if case .decimal(let number) = value { #expect(Decimal128(number.text) == number) }
    }
  }

  private static func one(_ key: Text, _ value: Value) -> MapValue {
    MapValue([MapValue.Entry(key: key, value: value)])
  }

  @Test func `maps of other shapes are maps`() throws {
    #expect(try BSONValue.value(of: MapValue()) == nil)
    #expect(try BSONValue.value(of: Self.one("oid", .null)) == nil)
    let two = MapValue([.init(key: "__oid__", value: .null), .init(key: "a", value: .null)])
    #expect(try BSONValue.value(of: two) == nil)
    let plain = Self.one("__binary__", .bytes([0, 1, 2]))
    #expect(try BSONValue.value(of: plain) == .bytes([1, 2]))
    let upper = Self.one("__oid__", .string("507F191E810C19729DE860EA"))
    #expect(try BSONValue.value(of: upper) == .bson(Self.id))
    let regex = Self.one("__regex__", map(["pattern": .string("a"), "options": .string("mim")]))
    #expect(try BSONValue.value(of: regex) == .bson(.regex(pattern: "a", options: "im")))
  }

  @Test(arguments: [
    one("__oid__", .string("507f")), one("__oid__", .integer(1)),
    one("__oid__", .string("+07f191e810c19729de860ea")), one("__min__", .integer(1)),
    one("__max__", .string("")), one("__int__", .integer(1 << 31)), one("__int__", .double(1)),
    one("__decimal128__", .string("x")), one("__decimal128__", .integer(1)),
    one("__binary__", .bytes([])), one("__binary__", .string("a")),
    one("__request_timestamp__", .timestamp(Timestamp(microseconds: 1))),
    one("__request_timestamp__", map(["seconds": .integer(1)])),
    one("__request_timestamp__", map(["seconds": .integer(-1), "increment": .integer(0)])),
    one("__request_timestamp__", map(["seconds": .integer(1 << 32), "increment": .integer(0)])),
    one("__regex__", map(["pattern": .string("a")])),
    one("__regex__", map(["pattern": .string("a"), "options": .string("z")])),
    one("__regex__", .string("a")),
  ])
  func `content of another type is refused`(_ map: MapValue) {
    #expect(throws: ServiceError.self) { try BSONValue.value(of: map) }
  }
}
