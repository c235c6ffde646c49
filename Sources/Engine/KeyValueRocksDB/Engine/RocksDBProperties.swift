/// The library's own figures that are worth a metric.
enum RocksDBProperties {
  static let reported = [
    ("kv_keys_estimate", "rocksdb.estimate-num-keys"),
    ("kv_table_bytes", "rocksdb.total-sst-files-size"),
    ("kv_memtable_bytes", "rocksdb.cur-size-all-mem-tables"),
    ("kv_block_cache_bytes", "rocksdb.block-cache-usage"),
    ("kv_block_cache_pinned_bytes", "rocksdb.block-cache-pinned-usage"),
    ("kv_table_reader_bytes", "rocksdb.estimate-table-readers-mem"),
    ("kv_compaction_pending_bytes", "rocksdb.estimate-pending-compaction-bytes"),
    ("kv_background_errors", "rocksdb.background-errors"),
    ("kv_write_stopped", "rocksdb.is-write-stopped"),
    ("kv_snapshots", "rocksdb.num-snapshots"),
  ]
}
