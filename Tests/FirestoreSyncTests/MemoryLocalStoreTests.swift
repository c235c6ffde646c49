import FirestoreModel
import FirestoreSync
import Testing

struct MemoryLocalStoreTests {
  private let suite = LocalStoreSuite(MemoryLocalStore())

  @Test func `documents are found by path and collection`() throws {
    try suite.documentsAreFoundByPathAndCollection()
  }

  @Test func `every state of a document is kept`() throws {
    try suite.everyStateOfADocumentIsKept()
  }

  @Test func `collections are known by their ids`() throws {
    try suite.collectionsAreKnownByTheirIDs()
  }

  @Test func `batches are queued by user`() throws { try suite.batchesAreQueuedByUser() }

  @Test func `overlays belong to users and collections`() throws {
    try suite.overlaysBelongToUsersAndCollections()
  }

  @Test func `targets keep their keys`() throws { try suite.targetsKeepTheirKeys() }

  @Test func `uses are ordered`() throws { try suite.usesAreOrdered() }

  @Test func `records and numbers are kept`() throws { try suite.recordsAndNumbersAreKept() }

  @Test func `a failing label fails before its body`() throws {
    let store = MemoryLocalStore()
    store.failingLabels = [.writeLocally]
    var didRun = false
    var didFail = false
    do {
      try store.transaction(.writeLocally) { didRun = true }
    } catch is LocalStoreError {
      didFail = true
    }
    #expect(didFail)
    #expect(!didRun)
    try store.transaction(.start) { didRun = true }
    #expect(didRun)
  }
}
