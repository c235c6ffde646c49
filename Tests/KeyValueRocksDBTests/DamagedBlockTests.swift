import Foundation
import KeyValueStore
import Testing

@Suite("Damaged blocks")
struct DamagedBlockTests {
  @Test func `a get of many keys tells the damage of those that it concerns`() throws {
    let scratch = try Scratch()
    var engine = try scratch.open()
    let values = (0..<3).map { [UInt8](repeating: UInt8(ascii: "k") + $0, count: 20_000) }
    for (number, value) in values.enumerated() { try engine.put("key-\(number)", value) }
    try engine.close()
    try damage(values[1].prefix(64), in: scratch)
    engine = try scratch.open()
    let keys = (0..<3).map { bytes("key-\($0)") }
    let found = try engine.read { try $0.get(keys) }
    try #expect(found[0].get() == values[0])
    try #expect(found[2].get() == values[2])
    let error = #expect(throws: KeyValueError.self) { try found[1].get() }
    #expect(error?.code == .corruption)
    try engine.close()
  }

  /// Changes a byte of what one table holds.
  private func damage(_ part: ArraySlice<UInt8>, in scratch: Scratch) throws {
    for name in try scratch.names(".sst") {
      var data = Data(try scratch.read(name))
      guard let range = data.range(of: Data(part)) else { continue }
      data[range.lowerBound + 10] ^= 0xFF
      return try scratch.write(name, Array(data))
    }
    Issue.record("no table holds the value")
  }
}
