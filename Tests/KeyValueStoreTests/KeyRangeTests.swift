import KeyValueStore
import Testing

@Suite("Key ranges and key order")
struct KeyRangeTests {
  @Test(
    arguments: [
      ([1], [2]), ([1, 0xFF], [2]), ([0xFF, 0xFF], nil), ([1, 0xFE], [1, 0xFF]), ([], nil),
    ] as [([UInt8], [UInt8]?)]
  )
  func `a prefix ends before its successor`(prefix: [UInt8], successor: [UInt8]?) {
    #expect(KeyRange.successor(ofPrefix: prefix) == successor)
    #expect(KeyRange(prefix: prefix) == KeyRange(lower: prefix, upper: successor))
  }

  @Test
  func `keys sort by unsigned bytes, prefixes first`() {
    let sorted: [[UInt8]] = [[], [0], [0, 0], [1], [0x7F], [0x80], [0x80, 0], [0xFF]]
    for (left, key) in sorted.enumerated() {
      for (right, other) in sorted.enumerated() {
        #expect(KeyOrder.compare(key, other).signum() == (left - right).signum())
      }
    }
  }
}
