import ModelTestSupport
import Testing

@testable import KeyValueStore

@Suite("The sorted table")
struct SortedTableTests {
  @Test(arguments: [7, 8, UInt64.random(in: 9...UInt64.max)])
  func `agrees with a dictionary over many chunks, and copies stay as they were`(
    seed: UInt64
  ) {
    print("sorted table, seed \(seed)")
    var generator = SeededSource(seed: seed)
    var table = SortedTable()
    var model: [[UInt8]: [UInt8]] = [:]
    for _ in 0..<20_000 {
      let key = numberKey("", Int64.random(in: 0..<4_000, using: &generator))
      if Int.random(in: 0..<3, using: &generator) == 0 {
        table.remove(key)
        model[key] = nil
      } else {
        table.put(key, [UInt8(model.count & 0xFF)])
        model[key] = [UInt8(model.count & 0xFF)]
      }
    }
    let copy = table
    let count = table.count
    table.put(numberKey("", -1), [])
    #expect(copy.count == count)
    #expect(count == model.count)
    #expect(Self.entries(of: copy) == model.keys.sorted(by: Self.precedes))
    #expect(model.allSatisfy { copy.value($0.key) == $0.value })
  }

  private static func entries(of table: SortedTable) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    var position = table.startPosition
    while position != table.endPosition {
      keys.append(table[position].key)
      position = table.position(after: position)
    }
    return keys
  }

  private static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.lexicographicallyPrecedes(right)
  }
}
