import KeyValueStore

/// The settings of a RocksDB engine; the defaults suit a server of two cores.
package struct RocksDBConfiguration: Sendable {
  /// Data, index and filter blocks kept in memory.
  package var blockCacheBytes = 64 << 20
  /// The size of one memtable.
  ///
  /// Recovery after a crash replays at most `writeBuffers` of them.
  package var writeBufferBytes = 16 << 20
  /// Memtables, the active one included, before writers wait for a flush.
  package var writeBuffers = 3
  /// The unit of reading and caching, before compression.
  package var blockBytes = 8 << 10
  /// Bloom filter bits a key; about one point read of a missing key in a hundred reads a block at 10.
  package var bloomBitsPerKey = 10.0
  /// Tables whose readers stay open at most; fewer where the cache is small, as each keeps some tens of
  /// kilobytes in it.
  package var openFiles = 512
  /// The size that merged tables are cut at.
  package var tableBytes = 32 << 20
  /// Threads for flushes and compactions.
  package var backgroundJobs = 2
  /// True if blocks below the top level are compressed (LZ4).
  package var compresses = true
  /// True if log files stay, in `archive`, until a call of `RocksDBEngine.releaseLog` says that
  /// they are no longer needed.
  package var keepsLog = false
  /// The bounds of a group of writes.
  package var groupLimits = GroupLimits()
  /// True if nothing is read before the database is closed: what is written collects without order, is sorted when it
  /// becomes a table, and tables are merged by many.
  package var onlyCollects = false
  /// Receives every group that became durable: its keys and the time for writing and syncing it.
  package var groupObserver: (@Sendable (_ keys: Int, _ duration: Duration) -> Void)?

  /// The product's settings.
  package init() {}
}
