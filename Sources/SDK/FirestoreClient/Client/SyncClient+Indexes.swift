import FirestoreSync

// Indexes of the cache.

extension SyncClient {
  /// Turns indexes on or off for queries of the cache that read much for little.
  package func setMakesIndexes(_ isWanted: Bool) { engine()?.setMakesIndexes(isWanted) }

  /// Makes the cache's indexes these, which are filled bit by bit.
  package func configureIndexes(_ definitions: [FieldIndex.Definition]) throws {
    guard let engine = engine() else { throw failure }
    try engine.configureIndexes(definitions)
    fillIndexes()
  }

  /// Fills indexes that are not complete, with time for other things between the steps.
  func fillIndexes() {
    guard !isFilling, case .running(let engine) = state, engine.hasUnfinishedIndexes else { return }
    isFilling = true
    schedule(.milliseconds(5)) { client in
      client.isFilling = false
      guard case .running(let engine) = client.state else { return }
      do {
        try engine.fillIndexes()
        client.fillIndexes()
      } catch {
        // The next call of the app tries again.
        client.configuration.log("An index of the cache can't be filled: \(error)")
      }
    }
  }
}
