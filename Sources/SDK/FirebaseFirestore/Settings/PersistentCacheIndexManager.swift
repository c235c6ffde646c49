import FirestoreClient
import FirestoreSync
import Foundation

/// The indexes of a cache on disk, which make queries of the cache fast that read much for little.
///
/// The results of a query do not depend on them.
public final class PersistentCacheIndexManager: NSObject, Sendable {
  private let client: SyncClient

  init(_ client: SyncClient) { self.client = client }

  /// Makes indexes for queries of the cache that read more than a hundred documents and three for each result.
  ///
  /// It is off in every new client; the indexes stay.
  public func enableIndexAutoCreation() { client.perform { $0.setMakesIndexes(true) } }

  /// Makes no further indexes.
  public func disableIndexAutoCreation() { client.perform { $0.setMakesIndexes(false) } }

  /// Removes all indexes.
  public func deleteAllIndexes() {
    client.perform { client in
      do {
        try client.configureIndexes([])
      } catch {
        client.log("The indexes of the cache can't be removed: \(error)")
      }
    }
  }
}
