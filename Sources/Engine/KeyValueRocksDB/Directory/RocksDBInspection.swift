/// A look at single records of a data directory, without a lock and without writing anything.
///
/// A server may have the directory open. The look shows the state at one moment after it began.
package struct RocksDBInspection {
  private let handle: RocksDBHandle

  /// Opens a directory that has been used before.
  ///
  /// - Throws: `newerFormat` where a later program has written the directory, `foreign` where it is not a data directory.
  package init(directory: String) throws {
    try DataDirectory.checkFormat(of: directory)
    // A server that compacts tables meanwhile may take one away that the opening has just read of.
    var attempts = 3
    while true {
      do {
        handle = try RocksDBHandle(
          directory: directory,
          configuration: RocksDBConfiguration(),
          isReadOnly: true
        )
        return
      } catch {
        attempts -= 1
        if attempts == 0 { throw error }
      }
    }
  }

  /// Reads a record; blocks.
  package func get(_ key: [UInt8]) throws -> [UInt8]? { try handle.get(key) }
}
