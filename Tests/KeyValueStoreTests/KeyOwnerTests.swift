import KeyValueStore
import Testing

@Suite("The owners of keys")
struct KeyOwnerTests {
  @Test(
    arguments: [
      (0x10...0x1F, 0x20...0x2F, true), (0x10...0x20, 0x20...0x2F, false),
      (0x20...0x2F, 0x10...0x10, true), (0x10...0xFF, 0x30...0x30, false),
    ] as [(ClosedRange<UInt8>, ClosedRange<UInt8>, Bool)]
  )
  func `two that overlap make no table`(
    left: ClosedRange<UInt8>,
    right: ClosedRange<UInt8>,
    isTable: Bool
  ) {
    let table = KeyOwnerTable([
      KeyOwner("left", firstBytes: left), KeyOwner("right", firstBytes: right),
    ])
    #expect((table != nil) == isTable)
  }

  @Test func `one name is one owner`() {
    let owners = ([0x10, 0x20] as [UInt8]).map { KeyOwner("same", firstBytes: $0...$0) }
    #expect(KeyOwnerTable(owners) == nil)
  }

  @Test func `every first byte is of its owner or of nobody`() throws {
    let accounts = KeyOwner("accounts", firstBytes: 0x50...0x5F)
    let last = KeyOwner("last", firstBytes: 0xF0...0xFE)
    let table = try #require(KeyOwnerTable([last, .engine, accounts, .formats]))
    for byte in UInt8.min...UInt8.max {
      let owners = table.owners.filter { $0.range.contains([byte, 7]) }
      #expect(owners.count <= 1)
      #expect(table.owner(ofKey: [byte, 7]) == owners.first)
    }
    #expect(table.owner(ofKey: [0, 1]) == .engine)
    #expect(table.owner(ofKey: [0x50]) == accounts)
    #expect(table.owner(ofKey: [0xFE, 1]) == last)
    #expect(table.owner(ofKey: [0xFF]) == nil)
    #expect(table.owner(ofKey: []) == nil)
  }
}
