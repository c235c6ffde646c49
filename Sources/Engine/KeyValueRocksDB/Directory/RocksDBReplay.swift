import CRocksDB
import KeyValueStore

/// Puts a data directory together: the files of a checkpoint, then groups that followed it.
///
/// Nothing is synced before `finish`, so a directory that was not finished is of no use; it has no `FORMAT` until then, and
/// no engine opens it. One call at a time; calls block.
package final class RocksDBReplay {
  private let directory: String
  private let handle: RocksDBHandle
  private let unlogged: OpaquePointer

  /// Opens the directory, whose files are those of a checkpoint without its `FORMAT`.
  package init(directory: String) throws {
    self.directory = directory
    var configuration = RocksDBConfiguration()
    configuration.writeBufferBytes = 32 << 20
    configuration.writeBuffers = 4
    configuration.onlyCollects = true
    handle = try RocksDBHandle(directory: directory, configuration: configuration)
    unlogged = rocksdb_writeoptions_create()
    rocksdb_writeoptions_disable_WAL(unlogged, 1)
  }

  deinit { rocksdb_writeoptions_destroy(unlogged) }

  /// The sequence number of the last write.
  package var sequence: UInt64 { handle.latestSequence }

  /// Writes a group, which begins behind the last write.
  package func apply(_ record: GroupRecord) throws {
    let batch = record.bytes.withChars { rocksdb_writebatch_create_from($0, $1) }
    defer { rocksdb_writebatch_destroy(batch) }
    try rocksCall { rocksdb_write(handle.database, unlogged, batch, $0) }
  }

  /// Makes all durable and the directory one that an engine opens.
  package func finish() throws {
    try handle.flush()
    handle.close()
    try DataDirectory.mark(directory)
  }
}
