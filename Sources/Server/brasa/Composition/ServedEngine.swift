import KeyValuePostgres
import KeyValueRocksDB
import KeyValueStore

/// An engine as a server needs to know it beyond what it reads and writes.
protocol ServedEngine: KeyValueEngine {
  /// True if nothing is written until the engine has recovered, or for good.
  var isStopped: Bool { get }

  /// Writes a few bytes and returns when they are durable; throws what keeps writes from being done.
  func probe() throws
}

extension RocksDBEngine: ServedEngine {}

extension PostgresEngine: ServedEngine {}
