import CacheTestSupport
import FirestoreSync
import Testing

/// Both stores do the same.
struct LocalStoreTests {
  /// The kinds of stores.
  enum Kind: CaseIterable {
    case memory
    case durable
  }

  private func check(_ kind: Kind, _ body: (LocalStoreSuite) throws -> Void) throws {
    switch kind {
    case .memory: try body(LocalStoreSuite(MemoryLocalStore()))
    case .durable:
      let file = try CacheFile()
      defer { file.remove() }
      try body(LocalStoreSuite(try file.open()))
    }
  }

  @Test(arguments: Kind.allCases)
  func `documents are found by path and collection`(kind: Kind) throws {
    try check(kind) { try $0.documentsAreFoundByPathAndCollection() }
  }

  @Test(arguments: Kind.allCases)
  func `every state of a document is kept`(kind: Kind) throws {
    try check(kind) { try $0.everyStateOfADocumentIsKept() }
  }

  @Test(arguments: Kind.allCases)
  func `collections are known by their ids`(kind: Kind) throws {
    try check(kind) { try $0.collectionsAreKnownByTheirIDs() }
  }

  @Test(arguments: Kind.allCases)
  func `batches are queued by user`(kind: Kind) throws {
    try check(kind) { try $0.batchesAreQueuedByUser() }
  }

  @Test(arguments: Kind.allCases)
  func `every kind of write is kept`(kind: Kind) throws {
    try check(kind) { try $0.everyKindOfWriteIsKept() }
  }

  @Test(arguments: Kind.allCases)
  func `overlays belong to users and collections`(kind: Kind) throws {
    try check(kind) { try $0.overlaysBelongToUsersAndCollections() }
  }

  @Test(arguments: Kind.allCases)
  func `targets keep their keys`(kind: Kind) throws {
    try check(kind) { try $0.targetsKeepTheirKeys() }
  }

  @Test(arguments: Kind.allCases)
  func `targets are found by what they give`(kind: Kind) throws {
    try check(kind) { try $0.targetsAreFoundByWhatTheyGive() }
  }

  @Test(arguments: Kind.allCases)
  func `uses are ordered`(kind: Kind) throws { try check(kind) { try $0.usesAreOrdered() } }

  @Test(arguments: Kind.allCases)
  func `records and numbers are kept`(kind: Kind) throws {
    try check(kind) { try $0.recordsAndNumbersAreKept() }
  }

  @Test(arguments: Kind.allCases)
  func `a failing label fails before its body`(kind: Kind) throws {
    try check(kind) { try $0.failingLabelsFailBeforeTheBody() }
  }
}
