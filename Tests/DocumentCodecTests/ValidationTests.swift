import BaseStatus
import BaseText
import DocumentCodec
import FirestoreModel
import ModelTestSupport
import Testing

@Suite struct ValidationTests {
  @Test func `well-spelled fields pass as they came`() throws {
    let fields = DocumentFields(encoding: sample)
    #expect(try DocumentCodec.validate(fields.bytes, name: name) == fields)
    #expect(fields.decoded() == sample)
    let unsorted = entry("b", .integer(1)) + entry("a", .integer(2))
    #expect(try DocumentCodec.validate(unsorted, name: name).bytes == unsorted)
  }

  static let respelled: [([UInt8], MapValue)] = [
    (entry("a", .integer(1)) + entry("a", .integer(2)), ["a": .integer(2)]),
    (entry("a", .integer(1)) + [0x1A, 0x01, 0x00], ["a": .integer(1)]),
    (
      raw("t", [0x52, 0x04, 0x10, 0xF5, 0x8F, 0x12]),
      ["t": .timestamp(Timestamp(microseconds: 296))]
    ),
    (raw("t", [0x52, 0x02, 0x08, 0x00]), ["t": .timestamp(Timestamp(microseconds: 0))]),
    (raw("i", [0x10, 0x81, 0x00]), ["i": .integer(1)]),
    (raw("i", [0x10, 0x01, 0x08, 0x01]), ["i": .boolean(true)]),
    (raw("b", [0x08, 0x02]), ["b": .boolean(true)]),
    (raw("a", [0x4A, 0x02, 0x0A, 0x00] + [0x4A, 0x00]), [:]),
    (
      raw("a", [0x4A, 0x04, 0x0A, 0x02, 0x10, 0x01, 0x4A, 0x04, 0x0A, 0x02, 0x10, 0x02]),
      ["a": .array([.integer(1), .integer(2)])]
    ),
    ([0x12, 0x07, 0x12, 0x02, 0x10, 0x05, 0x0A, 0x01, 0x78], ["x": .integer(5)]),
  ]

  @Test(arguments: respelled)
  func `other legal spellings are respelled`(bytes: [UInt8], expected: MapValue) throws {
    if expected.entries.isEmpty {
      #expect(throws: ServiceError.self) { try DocumentCodec.validate(bytes, name: name) }
      return
    }
    let fields = try DocumentCodec.validate(bytes, name: name)
    #expect(fields.decoded() == expected)
    #expect(fields == DocumentFields(encoding: expected))
  }

  @Test func `values of BSON types pass in their one spelling`() throws {
    let stored: MapValue = [
      "d": .bson(.decimal(try #require(Decimal128("1.50")))), "i": .bson(.int32(-1)),
      "k": .array([.bson(.minKey), .bson(.maxKey)]),
      "r": .bson(.regex(pattern: Text(String(repeating: "a", count: 300)), options: "im")),
    ]
    let fields = DocumentFields(encoding: stored)
    #expect(try DocumentCodec.validate(fields.bytes, name: name) == fields)
    #expect(fields.decoded() == stored)
    #expect(fields.value(at: FieldPath(["d", "__decimal128__"])) == nil)
    let respelled = entry("d", ["__decimal128__": .string("+01.50")])
    #expect(
      try DocumentCodec.validate(respelled, name: name).decoded()["d"] == stored["d"]
    )
    let plain = entry("b", ["__binary__": .bytes([0, 7])])
    #expect(try DocumentCodec.validate(plain, name: name).decoded()["b"] == .bytes([7]))
  }

  static let refused: [([UInt8], String)] = [
    (entry("__x__", .null), "field name __x__ is reserved"),
    (entry("m", ["__x__": .null]), "field name '__x__' is reserved."),
    (entry("____", .null), "field name ____ is reserved"),
    (entry("", .null), "The property.name is the empty string."),
    (
      entry(String(repeating: "x", count: 1_501), .null),
      "The property.name is longer than 1500 bytes."
    ),
    (
      entry("m", ["__oid__": .string("507f"), "b": .null]), "field name '__oid__' is reserved."
    ),
    (entry("__oid__", .null), "field name __oid__ is reserved"),
    (
      entry("m", ["__oid__": .string("507f")]),
      "The value of '__oid__' must be a text of 24 hexadecimal digits."
    ),
    (
      entry("m", ["__regex__": ["pattern": .string("a"), "options": .string("iz")]]),
      "Invalid regex option 'z'. Supported options are 'i', 'm', 's', 'u', and 'x'."
    ),
    (entry("a", .array([.array([])])), "Nested arrays are not allowed"),
    (entry("m", nested(21)), "Property m contains an invalid nested entity."),
    (
      entry("s", .string(Text(String(repeating: "x", count: 1_048_488)))),
      #"The value of property "s" is longer than 1048487 bytes."#
    ),
    (raw("s", [0x8A, 0x01, 0x01, 0xFF]), "A string contains bytes that are not valid UTF-8."),
    (raw("s", []), #"The value of property "s" is not set."#),
    (raw("r", [0x2A, 0x01, 0x78]), #"Document name "x" lacks "projects" at index 0."#),
    ([0x12, 0xFF], "The message is malformed."),
    (
      raw("t", [0x52, 0x07, 0x10, 0x80, 0xA8, 0xD6, 0xB9, 0x07]),
      "The message is malformed."
    ),
    (raw("m", marker + [0x0A, 0x00]), ""),
    (entry("m", ["__type__": .string("__vector__")]), "Vector map is missing key 'value'."),
    (entry("m", ["__type__": .string("other")]), "field name '__type__' is reserved."),
    (
      entry("m", ["__type__": .string("__vector__"), "value": .integer(1)]),
      "Vector value type must be an array."
    ),
    (
      entry("m", ["__type__": .string("__vector__"), "value": .array([]), "x": .null]),
      "Vector value map has extraneous entries."
    ),
    (entry("v", .vector([])), "Cannot have a zero length vector."),
    (
      entry("v", .vector(Array(repeating: 1, count: 2_049))),
      "Vectors must be at most 2048 dimensions."
    ),
    (
      entry("m", ["__type__": .string("__vector__"), "value": .array([.integer(1)])]),
      "Vector must only contain values of type 'double'"
    ),
    (entry("v", .vector([.nan])), "Vector cannot contain NaN values."),
  ]

  @Test(arguments: refused)
  func `what Firestore does not store is refused with its text`(bytes: [UInt8], message: String) {
    #expect(throws: ServiceError.self) { try DocumentCodec.validate(bytes, name: name) }
    guard !message.isEmpty else { return }
    #expect(refusal(bytes) == message)
  }

  @Test func `maps and arrays nest twenty deep`() throws {
    #expect(refusal(entry("m", nested(20))) == nil)
    var writer = ProtobufWriter()
    writer.mapEntry(2, "m", nested(60))
    #expect(throws: ServiceError.self) { try DocumentCodec.validate(writer.bytes, name: name) }
  }

  @Test func `hostile nesting costs no stack`() {
    var value: [UInt8] = [0x58, 0x00]
    for _ in 0..<20_000 {
      var outer = ProtobufWriter()
      outer.message(6) { map in
        map.message(1) {
          $0.string(1, "m")
          $0.content(2, value)
        }
      }
      value = outer.bytes
      if value.count > 60_000 { break }
    }
    #expect(throws: ServiceError.self) {
      try DocumentCodec.validate(raw("m", value), name: name)
    }
    // A field twice sends it to the decoder as well.
    #expect(throws: ServiceError.self) {
      try DocumentCodec.validate(raw("m", value) + raw("m", value), name: name)
    }
  }

  @Test func `a document's size is counted and bounded`() {
    // 32 for the document, 16 + 2 + 2 for its name, 2 for each key, 1 for each string.
    let room = 1_048_576 - 32 - 20 - 2 * 3
    let half = room / 2
    func document(_ extra: Int) -> [UInt8] {
      entry("a", .bytes([UInt8](repeating: 0, count: half)))
        + entry("b", .bytes([UInt8](repeating: 0, count: room + 2 - half + extra)))
    }
    #expect(refusal(document(0)) == nil)
    #expect(
      refusal(document(1))
        == "Document '\(name.string)' cannot be written because its size (1,048,577 bytes) exceeds "
        + "the maximum allowed size of 1,048,576 bytes."
    )
  }

  @Test func `sizes agree with the model's`() throws {
    var random = RandomValues(seed: testSeed)
    for _ in 0..<5_000 {
      let map = random.storableMap()
      #expect(DocumentFields(encoding: map).byteSize == map.byteSize, "seed \(testSeed)")
    }
  }

  @Test func `random documents survive any spelling`() throws {
    var random = RandomValues(seed: testSeed)
    for _ in 0..<10_000 {
      let map = random.storableMap()
      let fields = DocumentFields(encoding: map)
      guard (try? DocumentCodec.validate(fields.bytes, name: name)) == fields,
        fields.decoded() == map
      else {
        Issue.record("seed \(testSeed): \(map)")
        return
      }
    }
  }

  @Test func `damaged bytes are stored well-formed or refused`() throws {
    var random = RandomValues(seed: testSeed)
    for _ in 0..<60_000 {
      var bytes = DocumentFields(encoding: random.storableMap()).bytes
      for _ in 0..<random.int(1..<4) where !bytes.isEmpty {
        bytes[random.int(0..<bytes.count)] = UInt8(random.int(0..<256))
      }
      if random.int(0..<4) == 0 { bytes.removeLast(random.int(0..<bytes.count + 1)) }
      use(DocumentFields(validated: bytes))
      guard let fields = try? DocumentCodec.validate(bytes, name: name) else { continue }
      // What passed must read the same from its bytes and from its canonical form.
      let decoded = fields.decoded()
      let again = try? DocumentCodec.validate(DocumentFields(encoding: decoded).bytes, name: name)
      guard again?.decoded() == decoded, again?.isIdentical(to: fields) == true else {
        Issue.record("seed \(testSeed): \(bytes)")
        return
      }
    }
  }

  /// Reads bytes in every way that stored ones are read.
  private func use(_ fields: DocumentFields) {
    var key: [UInt8] = []
    fields.forEachIndexedValue { _, view in
      key.removeAll(keepingCapacity: true)
      view.appendOrdered(to: &key)
      view.forEachElement { $0.appendOrdered(to: &key) }
    }
    _ = fields.value(at: FieldPath(["a", "b"]))
    _ = fields.isIdentical(to: fields)
  }

  @Test func `a document message is taken apart`() throws {
    var writer = ProtobufWriter()
    writer.mapEntry(2, "a", .integer(1))
    writer.string(1, "some/name")
    writer.timestamp(3, Timestamp(microseconds: 1))
    writer.mapEntry(2, "b", .integer(2))
    let parts = try writer.bytes.withUnsafeBytes { try DocumentCodec.split(document: $0) }
    #expect(parts.name == "some/name")
    #expect(parts.fields == entry("a", .integer(1)) + entry("b", .integer(2)))
  }

  @Test func `operands may be what no field can be`() throws {
    let lists = Value.array([.array([.integer(1)]), .null])
    #expect(try encoded(lists).withUnsafeBytes { try DocumentCodec.operand($0) } == lists)
    #expect(throws: ServiceError.self) {
      try DocumentCodec.checkStorable(lists, inArray: false)
    }
    try DocumentCodec.checkStorable(sample["vector"] ?? .null, inArray: true)
  }
}
