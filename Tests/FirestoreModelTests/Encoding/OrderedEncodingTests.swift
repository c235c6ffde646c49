import BaseText
import FirestoreModel
import ModelTestSupport
import Testing

@Suite struct OrderedEncodingTests {
  @Test(arguments: [Order.Direction.ascending, .descending])
  func `encodings of the ladder sort as the ladder`(direction: Order.Direction) {
    for (low, left) in ValueOrderTests.ladder.enumerated() {
      for (high, right) in ValueOrderTests.ladder.enumerated() {
        let order = Ordering(low, high)
        let expected = direction == .ascending ? order : order.reversed
        #expect(compare(encoded(left, direction), encoded(right, direction)) == expected)
      }
    }
  }

  @Test func `encodings of random values sort as the values`() {
    var random = RandomValues(seed: testSeed)
    for _ in 0..<60_000 {
      let left = random.value()
      let right = random.value()
      let expected = left.compare(right)
      let first = encoded(left, .ascending)
      let second = encoded(right, .ascending)
      // A name follows every value: behind a number it tells where a decimal goes on.
      let name: [UInt8] = [SegmentEncoding.stringTag]
      let falling = compare(
        encoded(left, .descending) + name,
        encoded(right, .descending) + name
      )
      guard compare(first, second) == expected, falling == expected.reversed,
        expected == .equal || !second.starts(with: first) || isDecimal(behind: first, in: second)
      else {
        Issue.record("seed \(testSeed): \(left) and \(right)")
        return
      }
    }
  }

  private func isDecimal(behind number: [UInt8], in bytes: [UInt8]) -> Bool {
    bytes.dropFirst(number.count).first == OrderedEncoding.Tag.decimal
  }

  @Test func `encodings sort as the values with others behind them`() {
    var random = RandomValues(seed: testSeed)
    let directions: [Order.Direction] = [.ascending, .descending]
    for _ in 0..<30_000 {
      let (first, second) = (random.value(), random.value())
      let isSame = random.int(0..<3) == 0
      let others = isSame ? (first, second) : (random.value(), random.value())
      for direction in directions {
        for other in directions {
          let name = encoded(.reference(random.reference()), other).dropFirst()
          let left = encoded(first, direction) + encoded(second, other) + name
          let right = encoded(others.0, direction) + encoded(others.1, other) + name
          let one = first.compare(others.0)
          let two = second.compare(others.1)
          let expected = (direction == .ascending ? one : one.reversed)
            .or(other == .ascending ? two : two.reversed)
          guard compare(left, right) == expected else {
            Issue.record("seed \(testSeed): \(first), \(second) and \(others)")
            return
          }
        }
      }
    }
  }

  @Test func `comparison is a total order`() {
    var random = RandomValues(seed: testSeed)
    for _ in 0..<20_000 {
      let (a, b, c) = (random.value(), random.value(), random.value())
      let isBroken =
        a.compare(b) != b.compare(a).reversed
        || (a.compare(b) != .descending && b.compare(c) != .descending
          && a.compare(c) == .descending)
      if isBroken {
        Issue.record("seed \(testSeed): \(a), \(b), \(c)")
        return
      }
    }
  }

  @Test(arguments: [Order.Direction.ascending, .descending])
  func `decoding restores what was stored and finds the end`(direction: Order.Direction) {
    var random = RandomValues(seed: testSeed)
    for _ in 0..<20_000 {
      let value = random.value()
      var bytes: [UInt8] = [7]
      let tag = OrderedEncoding.append(value, to: &bytes, direction: direction)
      let end = bytes.count
      bytes.append(contentsOf: [1, 0, 0xFF])
      var position = 1
      var skipped = 1
      let decoded = bytes.withUnsafeBytes {
        OrderedEncoding.decode($0, at: &position, tag: tag, direction: direction)
      }
      let isSkipped = bytes.withUnsafeBytes {
        OrderedEncoding.skip($0, at: &skipped, tag: tag, direction: direction)
      }
      let isRestored =
        tag.isRestorable ? decoded == value : decoded?.isEqual(to: value) == true
      guard isRestored, position == end, isSkipped, skipped == end else {
        Issue.record("seed \(testSeed): \(value) came back as \(String(describing: decoded))")
        return
      }
    }
  }

  @Test func `long values are cut, flagged and still in order`() {
    let whole = Value.string(Text(String(repeating: "x", count: 1_500)))
    let longer = Value.string(Text(String(repeating: "x", count: 1_501)))
    let longest = Value.string(Text(String(repeating: "x", count: 5_000)))
    var bytes: [UInt8] = []
    #expect(!OrderedEncoding.append(whole, to: &bytes).isTruncated)
    bytes = []
    let tag = OrderedEncoding.append(longest, to: &bytes)
    #expect(tag.isTruncated && !tag.isRestorable)
    #expect(bytes.count == OrderedEncoding.truncationLength)
    #expect(encoded(longest, .ascending) == encoded(longest, .ascending))
    #expect(compare(encoded(whole, .ascending), encoded(longer, .ascending)) == .ascending)
    var position = 0
    #expect(bytes.withUnsafeBytes { OrderedEncoding.skip($0, at: &position, tag: tag) })
    #expect(position == bytes.count)
  }

  @Test func `damaged bytes are refused and never trap`() {
    var random = RandomValues(seed: testSeed)
    for _ in 0..<20_000 {
      var bytes = encoded(random.value(), .ascending)
      bytes[random.int(0..<bytes.count)] = UInt8(random.int(0..<256))
      bytes.removeLast(random.int(0..<bytes.count))
      var position = 0
      bytes.withUnsafeBytes { raw in
        _ = OrderedEncoding.decode(raw, at: &position)
        position = 0
        _ = OrderedEncoding.skip(raw, at: &position)
        position = 0
        _ = SegmentEncoding.decodePath(raw, at: &position)
      }
      #expect(position <= bytes.count)
    }
  }

  @Test func `a class's values lie within its tags`() {
    for value in ValueOrderTests.ladder {
      let range = OrderedEncoding.tagRange(of: value.typeOrder)
      #expect(range.contains(encoded(value, .ascending)[0]))
    }
  }

  @Test func `the format does not change`() {
    #expect(encoded(.integer(1), .ascending) == [0x19, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0])
    #expect(encoded(.double(1), .ascending) == [0x19, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0])
    #expect(
      encoded(.integer(.max), .ascending)
        == [0x19, 0xC3, 0xDF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x03, 0xFF]
    )
    #expect(encoded(.string("a\u{0}"), .ascending) == [0x28, 0x61, 0, 0xFF, 0, 1])
    #expect(encoded(.null, .descending) == [0xF7])
    #expect(
      encoded(map(["k": .array([.boolean(true)])]), .ascending)
        == [0x58, 0x01, 0x6B, 0, 1, 0x48, 0x11, 0, 0]
    )
  }
}

@Suite struct SegmentEncodingTests {
  @Test func `paths sort as names and come back`() {
    var random = RandomValues(seed: testSeed)
    for _ in 0..<20_000 {
      let left = random.reference().path
      let right = random.reference().path
      let first = encoded(left)
      var position = 0
      let decoded = first.withUnsafeBytes { SegmentEncoding.decodePath($0, at: &position) }
      guard compare(first, encoded(right)) == left.compare(right), decoded == left,
        position == first.count
      else {
        Issue.record("seed \(testSeed): \(left.string) and \(right.string)")
        return
      }
    }
  }

  @Test(arguments: [
    "__id7__", "__id0__", "__id-9223372036854775808__", "__id9223372036854775807__",
  ])
  func `canonical numeric ids are numbers`(id: String) {
    #expect(Text(id).numericID.map { "__id\($0)__" } == id)
  }

  @Test(arguments: [
    "__id__", "__id07__", "__id-0__", "__id+1__", "__id9223372036854775808__", "__idx__", "__ID7__",
    "id7", "__id7_", "__id1 __",
  ])
  func `other ids are strings`(id: String) {
    #expect(Text(id).numericID == nil)
  }

  private func encoded(_ path: ResourcePath) -> [UInt8] {
    var bytes: [UInt8] = []
    SegmentEncoding.append(path, to: &bytes)
    return bytes + [SegmentEncoding.terminator]
  }
}

func encoded(_ value: Value, _ direction: Order.Direction) -> [UInt8] {
  var bytes: [UInt8] = []
  OrderedEncoding.append(value, to: &bytes, direction: direction)
  return bytes
}

func compare(_ left: [UInt8], _ right: [UInt8]) -> Ordering {
  left.withUnsafeBytes { first in right.withUnsafeBytes { compareBytes(first, $0) } }
}
