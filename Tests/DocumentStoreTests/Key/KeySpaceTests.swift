import KeyValueStore
import Testing

@testable import DocumentStore

@Suite struct KeySpaceTests {
  @Test func `every key space is the databases' own`() {
    for space in KeySpace.allCases {
      #expect(KeyOwner.databases.range.contains([space.rawValue]))
    }
  }
}
