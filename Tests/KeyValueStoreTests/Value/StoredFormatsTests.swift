import KeyValueStore
import Testing

/// One version for each owner's records, checked at a start.
@Suite struct StoredFormatsTests {
  private func owner(_ format: UInt32) -> KeyOwner {
    KeyOwner("accounts", firstBytes: 0x50...0x5F, format: format)
  }

  @Test func `a store is opened by programs of its format and later ones`() throws {
    let engine = MemoryEngine()
    let files = KeyOwner("files", firstBytes: 0x60...0x6F)
    try StoredFormats.check([owner(1), files], in: engine)
    try StoredFormats.check([owner(1), files], in: engine)
    try StoredFormats.check([owner(2)], in: engine)
    let refusal = #expect(throws: KeyValueError.self) {
      try StoredFormats.check([owner(1)], in: engine)
    }
    #expect(refusal?.code == .newerFormat)
  }

  @Test func `a store of a newer format is refused by name, with nothing written`() throws {
    let engine = MemoryEngine()
    let files = KeyOwner("files", firstBytes: 0x60...0x6F, format: 2)
    try StoredFormats.check([owner(3)], in: engine)
    let refusal = #expect(throws: KeyValueError.self) {
      try StoredFormats.check([files, owner(2)], in: engine)
    }
    #expect(refusal?.code == .newerFormat)
    #expect(refusal?.message.contains("accounts has format 3") == true)
    let hasFiles = try engine.read { try $0.get([0xD0, 0x60]) != nil }
    #expect(!hasFiles)
  }

  @Test func `a damaged version is corruption`() throws {
    let engine = MemoryEngine()
    try engine.write { try $0.put([0xD0, 0x50], [1]) }
    let refusal = #expect(throws: KeyValueError.self) {
      try StoredFormats.check([owner(1)], in: engine)
    }
    #expect(refusal?.code == .corruption)
  }
}
