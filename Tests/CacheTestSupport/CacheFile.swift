import FirestoreCache
import FirestoreModel
import FirestoreSync
import Foundation

/// A durable cache in a folder of its own, opened and closed as often as a test likes.
package final class CacheFile {
  package let folder: URL
  package let database: DatabaseID
  private var store: DurableLocalStore?

  /// A file that is not there yet, in a new folder.
  package init(database: DatabaseID = DatabaseID(project: "p")) throws {
    self.database = database
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("cache-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// A file in a folder that is there.
  package init(folder: URL, database: DatabaseID = DatabaseID(project: "p")) {
    self.database = database
    self.folder = folder
  }

  package var url: URL { folder.appendingPathComponent("cache.sqlite") }

  /// Opens the file; what was opened here before is closed.
  package func open() throws -> DurableLocalStore {
    try close()
    let opened = try DurableLocalStore.open(url, database: database)
    store = opened
    return opened
  }

  /// Closes what was opened here.
  package func close() throws {
    try store?.close()
    store = nil
  }

  /// Removes the folder.
  package func remove() {
    do {
      try close()
      try FileManager.default.removeItem(at: folder)
    } catch {
      // The system clears its folder of temporary files.
    }
  }
}
