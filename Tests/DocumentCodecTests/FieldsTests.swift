import BaseText
import DocumentCodec
import FirestoreModel
import ModelTestSupport
import Testing

@Suite struct FieldsTests {
  private let fields = DocumentFields(encoding: sample)

  @Test func `fields are found along their paths`() {
    #expect(fields.value(at: FieldPath(["int"])) == .integer(-7))
    #expect(fields.value(at: FieldPath(["map", "inner", "deep"])) == .string("é"))
    #expect(fields.value(at: FieldPath(["map", "missing"])) == nil)
    #expect(fields.value(at: FieldPath(["int", "x"])) == nil)
    #expect(fields.value(at: FieldPath(["vector", "value"])) == nil)
    for entry in sample.entries {
      #expect(fields.value(at: FieldPath([entry.key])) == entry.value)
    }
  }

  @Test func `index bytes from stored bytes are those of the decoded value`() {
    var random = RandomValues(seed: testSeed)
    for _ in 0..<10_000 {
      let map = shuffled(random.storableMap(), &random)
      for direction in [Order.Direction.ascending, .descending] {
        let fields = DocumentFields(validated: map)
        var ok = true
        fields.forEachIndexedValue { _, view in
          var fromBytes: [UInt8] = [9]
          var fromValue: [UInt8] = [9]
          let tag = view.appendOrdered(to: &fromBytes, direction: direction)
          let expected = OrderedEncoding.append(
            view.decoded(),
            to: &fromValue,
            direction: direction
          )
          ok = ok && tag == expected && fromBytes == fromValue
        }
        guard ok else {
          Issue.record("seed \(testSeed): \(fields.decoded())")
          return
        }
      }
    }
  }

  @Test(arguments: [
    Value.string(Text(String(repeating: "x", count: 3_000))),
    .string(Text(String(repeating: "\u{0}", count: 800))),
    .array((0..<400).map { .integer($0) }), .bytes([UInt8](repeating: 0, count: 1_501)),
    .vector((0..<400).map { Double($0) }),
    .array([.string(Text(String(repeating: "x", count: 1_499))), .integer(1), .integer(2)]),
  ])
  func `long values are cut alike`(value: Value) {
    var fromBytes: [UInt8] = []
    var fromValue: [UInt8] = []
    let stored = DocumentFields(encoding: ["f": value])
    let tag = stored.withView(at: FieldPath(["f"])) { $0?.appendOrdered(to: &fromBytes) }
    let expected = OrderedEncoding.append(value, to: &fromValue)
    #expect(fromBytes == fromValue)
    #expect(tag?.isTruncated == expected.isTruncated)
  }

  @Test func `the walk visits every field and the fields of maps`() {
    var visited: [[UInt8]: Value] = [:]
    fields.forEachIndexedValue { path, view in visited[path] = view.decoded() }
    let paths: [FieldPath] =
      sample.entries.map { FieldPath([$0.key]) } + [
        FieldPath(["map", "z"]), FieldPath(["map", "inner"]), FieldPath(["map", "inner", "deep"]),
      ]
    #expect(visited.count == paths.count)
    for path in paths {
      var key: [UInt8] = []
      SegmentEncoding.append(path, to: &key)
      #expect(visited[key] == sample.value(at: path))
    }
  }

  @Test func `elements of arrays are walked on request`() {
    var elements: [Value] = []
    fields.withView(at: FieldPath(["array"])) {
      $0?.forEachElement { elements.append($0.decoded()) }
    }
    #expect(Value.array(elements) == sample["array"])
  }

  @Test func `identity is blind to the order of entries only`() {
    var random = RandomValues(seed: testSeed)
    for _ in 0..<10_000 {
      let left = random.storableMap()
      let right = random.bool() ? left : random.storableMap()
      let first = DocumentFields(validated: shuffled(left, &random))
      let second = DocumentFields(validated: shuffled(right, &random))
      guard first.isIdentical(to: second) == (left == right) else {
        Issue.record("seed \(testSeed): \(left) and \(right)")
        return
      }
    }
    #expect(!DocumentFields(encoding: ["a": .integer(0)]).isIdentical(to: .empty))
    let zero = DocumentFields(encoding: ["a": .double(0)])
    #expect(!zero.isIdentical(to: DocumentFields(encoding: ["a": .double(-0.0)])))
  }

  @Test func `masks set what is there and remove what is not`() {
    let update = DocumentFields(encoding: ["int": .integer(8), "map": ["z": .integer(2)]])
    let mask = [
      FieldPath(["int"]), FieldPath(["bool"]), FieldPath(["map", "z"]),
      FieldPath(["map", "inner", "deep"]), FieldPath(["string", "x"]),
    ]
    let result = fields.applying(update, mask: mask)
    var expected = sample
    expected["int"] = .integer(8)
    expected["bool"] = nil
    expected["map"] = ["z": .integer(2), "inner": [:]]
    #expect(result.decoded() == expected)
    #expect(fields.applying(update, mask: []) == fields)
  }

  @Test func `masks, projections and transforms agree with a naive model`() {
    var random = RandomValues(seed: testSeed)
    for _ in 0..<10_000 {
      let stored = random.storableMap()
      let update = random.storableMap()
      let fields = DocumentFields(validated: shuffled(stored, &random))
      let mask = FieldMask.reduced((0..<random.int(0..<4)).map { _ in randomPath(&random) })
      let masked = fields.applying(DocumentFields(encoding: update), mask: mask).decoded()
      let projected = fields.projected(to: mask).decoded()
      let (changed, results) = transformed(fields, stored, paths: mask, &random)
      guard masked == stored.applying(update, mask: mask), projected == stored.projected(to: mask),
        changed, results
      else {
        Issue.record("seed \(testSeed): \(stored) with \(update) by \(mask)")
        return
      }
    }
  }

  @Test func `many changes are made alike`() {
    let names = (0..<200).map { Text("f\($0)") }
    let stored = MapValue(names.prefix(150).map { MapValue.Entry(key: $0, value: .integer(1)) })
    let update = MapValue(names.suffix(150).map { MapValue.Entry(key: $0, value: .integer(2)) })
    let fields = DocumentFields(encoding: stored)
    let mask = names.map { FieldPath([$0]) }
    #expect(fields.applying(DocumentFields(encoding: update), mask: mask).decoded() == update)
    #expect(fields.projected(to: mask).decoded() == stored)
    let transforms = mask.map { FieldTransform(field: $0, operation: .increment(.integer(1))) }
    let (changed, results) = fields.applying(transforms, requestTime: Timestamp(microseconds: 0))
    #expect(results.count == 200)
    #expect(changed.value(at: mask[0]) == .integer(2))
    #expect(changed.value(at: mask[199]) == .integer(1))
  }

  @Test func `a field added to sorted fields keeps them sorted`() {
    let fields = DocumentFields(encoding: ["b": .null, "d": .null])
    let update: MapValue = ["a": .integer(1), "c": .integer(1), "e": .integer(1)]
    let mask = update.entries.map { FieldPath([$0.key]) }
    let result = fields.applying(DocumentFields(encoding: update), mask: mask.reversed())
    #expect(result == DocumentFields(encoding: result.decoded()))
    #expect(result.decoded().entries.map(\.key) == ["a", "b", "c", "d", "e"])
  }

  private func transformed(
    _ fields: DocumentFields,
    _ stored: MapValue,
    paths: [FieldPath],
    _ random: inout RandomValues
  ) -> (Bool, Bool) {
    let transforms = (paths + paths).map { path in
      FieldTransform(
        field: path,
        operation: random.bool()
          ? .increment(.integer(random.integer()))
          : .appendMissingElements([random.value(depth: 3)])
      )
    }
    var expected = stored
    var expectedResults: [Value] = []
    for transform in transforms {
      let (value, result) = transform.apply(
        to: expected.value(at: transform.field),
        requestTime: Timestamp(microseconds: 0)
      )
      expected.set(value, at: transform.field)
      expectedResults.append(result)
    }
    let (changed, results) = fields.applying(transforms, requestTime: Timestamp(microseconds: 0))
    return (changed.decoded() == expected, results == expectedResults)
  }

  private func randomPath(_ random: inout RandomValues) -> FieldPath {
    FieldPath((0..<random.int(1..<4)).map { _ in random.fieldName() })
  }

  /// The map's fields encoded in another order, at every depth.
  private func shuffled(_ map: MapValue, _ random: inout RandomValues) -> [UInt8] {
    var writer = ProtobufWriter()
    shuffle(map, field: 2, &writer, &random)
    return writer.bytes
  }

  private func shuffle(
    _ map: MapValue,
    field: Int,
    _ writer: inout ProtobufWriter,
    _ random: inout RandomValues
  ) {
    var entries = map.entries
    for index in entries.indices { entries.swapAt(index, random.int(0..<entries.count)) }
    for entry in entries {
      guard case .map(let inner) = entry.value else {
        writer.mapEntry(field, entry.key, entry.value)
        continue
      }
      writer.message(field) {
        $0.text(1, entry.key)
        $0.message(2) { value in
          value.message(6) { shuffle(inner, field: 1, &$0, &random) }
        }
      }
    }
  }

  @Test func `a value in a million parts is read as one, in time that grows with its size`() throws
  {
    // An empty map, again and again; then one entry's value, again and again.
    let emptyMap: [UInt8] = [0x32, 0x00]
    let parts = Array(Array(repeating: emptyMap, count: 500_000).joined())
    let fields = try DocumentCodec.validate(raw("a", parts), name: name)
    #expect(fields.decoded() == ["a": [:]])
    var entry = ProtobufWriter()
    entry.message(2) {
      $0.string(1, "b")
      for _ in 0..<500_000 { $0.content(2, emptyMap) }
    }
    let merged = try DocumentCodec.validate(entry.bytes, name: name)
    #expect(merged.decoded() == ["b": [:]])
  }
}
