/// The amount of the cache that is collected at once.
package struct CollectionParameters: Sendable, Hashable {
  /// Documents stay while they are fewer bytes than this.
  package var threshold: Int
  /// The percentage of the uses that are collected, oldest first.
  package var percentile: Int
  /// The most uses that are collected in one run.
  package var greatestCount: Int

  /// Firestore's parameters, but for the size.
  package init(threshold: Int, percentile: Int = 10, greatestCount: Int = 1_000) {
    self.threshold = threshold
    self.percentile = percentile
    self.greatestCount = greatestCount
  }
}

/// The result of one collection.
package struct CollectionResult: Sendable, Hashable {
  /// Targets that were removed with their keys.
  package let removedTargets: Int
  /// Documents that were removed from the cache.
  package let removedDocuments: Int
}

extension LocalCache {
  /// Removes the least recently used targets and documents, if the documents are too many.
  ///
  /// Never documents with listeners, in results or with pending writes.
  func collectGarbage(_ parameters: CollectionParameters) throws -> CollectionResult {
    try transaction(.collectGarbage) {
      let nothing = CollectionResult(removedTargets: 0, removedDocuments: 0)
      guard policy == .leastRecentlyUsed, try store.documentBytes() >= parameters.threshold else {
        return nothing
      }
      let numbers = try store.sequenceNumbers().sorted()
      let count = min(numbers.count * parameters.percentile / 100, parameters.greatestCount)
      guard count > 0 else { return nothing }
      let bound = numbers[count - 1]
      let targets = try store.targets().filter {
        $0.sequenceNumber <= bound && active[$0.id] == nil
      }
      for target in targets { try store.removeTarget(target.id) }
      let paths = try unneeded(among: Set(try store.leastRecentlyUsed(upTo: bound)))
      try removeDocuments(paths)
      return CollectionResult(removedTargets: targets.count, removedDocuments: paths.count)
    }
  }
}
