import CRocksDB

/// The library's option objects for one database, freed together.
///
/// Recovery mode 0 accepts a log that stops in the middle of its last record and nothing worse;
/// `DataDirectory` cuts any other torn tail off before the library sees the files.
package struct RocksDBOptions: ~Copyable {
  /// The bytes that the reader of a table of 32 MB keeps in the cache, with room to spare.
  private static let readerBytes = 64 << 10
  /// Index and filter are read and cached in pieces of about this size.
  private static let partitionBytes = 16 << 10
  /// Consecutive entries of a table among which deletions are counted.
  private static let deletionWindow = 128
  /// Deletions in a window that have the table merged.
  private static let deletionsInWindow = 64
  /// Tables on the uppermost level before they are merged.
  static let mergedTables: Int32 = 4
  /// The same while mass data are written; from 20 on the library holds writes back.
  static let bulkTables: Int32 = 12
  /// The same where nothing is read.
  ///
  /// A database that is opened for use slows writes down from 20 on.
  private static let collectedTables: Int32 = 16
  /// The number at which a database where nothing is read waits for a merge.
  ///
  /// One that is opened for use refuses writes from 36 on, and the last tables may come from all buffers at once.
  private static let mostCollectedTables: Int32 = 30
  private static let toleratesOnlyTruncatedTail: Int32 = 0
  /// Threads that open tables at a start, the calling one included.
  ///
  /// The library starts all of them even for an empty store, sixteen if it is left alone, and opens at most
  /// sixteen tables then.
  private static let openingThreads: Int32 = 2
  /// Above every level, so that the library's log of texts stays empty.
  ///
  /// Debian builds the library with assertions, and one of them ends the process at the second line
  /// of that log that a full or failing disk refuses. It also keeps the library from writing a file
  /// of its options, which has no reader.
  private static let logsNothing: Int32 = 6

  /// The `rocksdb_options_t` to open a database with; freed with this value.
  package let database: OpaquePointer
  let blockCache: OpaquePointer

  /// Options as the configuration asks for them.
  ///
  /// - Parameter describesItself: True if the library writes its log and a file of its options, for
  ///   tests.
  package init(_ configuration: RocksDBConfiguration, describesItself: Bool = false) throws {
    blockCache = Self.makeCache(bytes: configuration.blockCacheBytes)
    let basic: OpaquePointer = rocksdb_options_create()
    let derived: OpaquePointer = rocksdb_options_create()
    defer { rocksdb_options_destroy(basic) }
    database = derived
    setDurability(basic)
    setMemory(basic, configuration)
    setLevels(basic, configuration)
    setHousekeeping(basic, configuration)
    if !describesItself { rocksdb_options_set_info_log_level(basic, Self.logsNothing) }
    setBlocks(basic, configuration)
    if configuration.onlyCollects { setCollecting(basic) }
    // Files of the log are moved to `archive` then; the engine removes them itself.
    if configuration.keepsLog { rocksdb_options_set_WAL_ttl_seconds(basic, Self.forever) }
    Self.putMergingBehind()
    // The settings that only the options' text can express.
    try rocksCall { rocksdb_get_options_from_string(basic, Self.textOptions, derived, $0) }
  }

  /// The options that the C interface has no setters for.
  ///
  /// A background error never heals by itself: the engine has stopped by then. The upper levels of
  /// an open table's index and filter stay in the cache; the pieces below stay while the table is
  /// on the uppermost level. Inserts into a memtable begin where the last one of the same key space
  /// ended.
  private static let textOptions = """
    max_bgerror_resume_count=0;\
    memtable_insert_with_hint_prefix_extractor=rocksdb.FixedPrefix.1;\
    block_based_table_factory={metadata_cache_options={top_level_index_pinning=kAll;\
    partition_pinning=kFlushedAndSimilar;unpartitioned_pinning=kFlushedAndSimilar;};}
    """

  /// Seconds of a century.
  private static let forever: UInt64 = 3_155_760_000

  deinit {
    rocksdb_options_destroy(database)
    rocksdb_cache_destroy(blockCache)
  }

  /// Lets the threads that merge tables have only what requests leave of the processor.
  ///
  /// Merging can wait, up to the number of tables at which the library holds back writes by itself.
  private static func putMergingBehind() {
    // All databases of the process share these threads.
    let environment: OpaquePointer = rocksdb_create_default_env()
    rocksdb_env_lower_thread_pool_cpu_priority(environment)
    rocksdb_env_destroy(environment)
  }

  /// Ends the library's counting on this thread.
  ///
  /// The counters are never read, and each comparison of two keys would look one up.
  package static func countNothing() { rocksdb_set_perf_level(Int32(rocksdb_disable)) }

  /// A shard must hold many blocks; a handful of shards is enough for a handful of cores.
  private static func makeCache(bytes: Int) -> OpaquePointer {
    let options: OpaquePointer = rocksdb_lru_cache_options_create()
    defer { rocksdb_lru_cache_options_destroy(options) }
    rocksdb_lru_cache_options_set_capacity(options, bytes)
    rocksdb_lru_cache_options_set_num_shard_bits(options, 3)
    return rocksdb_cache_create_lru_opts(options)
  }

  private func setDurability(_ database: OpaquePointer) {
    rocksdb_options_set_create_if_missing(database, 1)
    rocksdb_options_set_paranoid_checks(database, 1)
    rocksdb_options_set_wal_recovery_mode(database, Self.toleratesOnlyTruncatedTail)
    rocksdb_options_set_recycle_log_file_num(database, 0)
    rocksdb_options_set_manual_wal_flush(database, 0)
  }

  private func setMemory(_ database: OpaquePointer, _ configuration: RocksDBConfiguration) {
    rocksdb_options_set_write_buffer_size(database, configuration.writeBufferBytes)
    rocksdb_options_set_max_write_buffer_number(database, Int32(configuration.writeBuffers))
    rocksdb_options_set_memtable_whole_key_filtering(database, 1)
    rocksdb_options_set_memtable_prefix_bloom_size_ratio(database, 0.02)
    // One writer at a time: the concurrent insert path would only cost.
    rocksdb_options_set_allow_concurrent_memtable_write(database, 0)
    rocksdb_options_set_max_background_jobs(database, Int32(configuration.backgroundJobs))
    // Opening a table again costs a get many times what the get does, and a read that may not touch
    // the disk cannot do it.
    let pinnable = max(64, configuration.blockCacheBytes / Self.readerBytes)
    rocksdb_options_set_max_open_files(database, Int32(min(configuration.openFiles, pinnable)))
    // A handful of shards: each holds its share of the readers, however unevenly they fall.
    rocksdb_options_set_table_cache_numshardbits(database, 3)
    rocksdb_options_set_max_file_opening_threads(database, Self.openingThreads)
  }

  /// Leaves sorting to the threads that write tables, and most of the merging to the next one who opens the database.
  private func setCollecting(_ database: OpaquePointer) {
    rocksdb_options_set_memtable_vector_rep(database)
    rocksdb_options_set_memtable_whole_key_filtering(database, 0)
    rocksdb_options_set_memtable_prefix_bloom_size_ratio(database, 0)
    // Every table of the uppermost level reaches over all keys, so each merge rewrites what it meets.
    rocksdb_options_set_level0_file_num_compaction_trigger(database, Self.collectedTables)
    rocksdb_options_set_level0_slowdown_writes_trigger(database, Self.mostCollectedTables)
    rocksdb_options_set_level0_stop_writes_trigger(database, Self.mostCollectedTables)
  }

  private func setLevels(_ database: OpaquePointer, _ configuration: RocksDBConfiguration) {
    rocksdb_options_set_level_compaction_dynamic_level_bytes(database, 1)
    rocksdb_options_set_target_file_size_base(database, UInt64(configuration.tableBytes))
    rocksdb_options_set_max_bytes_for_level_base(database, 128 << 20)
    rocksdb_options_set_level0_file_num_compaction_trigger(database, Self.mergedTables)
    // The uppermost level is soon read again, to be merged into the one below.
    let compression = configuration.compresses ? rocksdb_lz4_compression : rocksdb_no_compression
    var levels = [Int32(rocksdb_no_compression), Int32(compression)]
    rocksdb_options_set_compression_per_level(database, &levels, levels.count)
    // After a mass delete a scan would pass over every deleted key until a merge drops them. A table with
    // a stretch of mostly deletions is merged on its own account, down to where they can be dropped.
    rocksdb_options_add_compact_on_deletion_collector_factory(
      database,
      Self.deletionWindow,
      Self.deletionsInWindow
    )
    // Flushes compete with the log's fsync for the disk; small steps keep it short.
    rocksdb_options_set_bytes_per_sync(database, 1 << 20)
  }

  private func setHousekeeping(_ database: OpaquePointer, _ configuration: RocksDBConfiguration) {
    rocksdb_options_set_keep_log_file_num(database, 2)
    rocksdb_options_set_max_manifest_file_size(database, 4 << 20)
    rocksdb_options_set_stats_dump_period_sec(database, 0)
    rocksdb_options_set_stats_persist_period_sec(database, 0)
    rocksdb_options_set_skip_stats_update_on_db_open(database, 1)
  }

  private func setBlocks(_ database: OpaquePointer, _ configuration: RocksDBConfiguration) {
    let blocks: OpaquePointer = rocksdb_block_based_options_create()
    defer { rocksdb_block_based_options_destroy(blocks) }
    rocksdb_block_based_options_set_format_version(blocks, 5)
    rocksdb_block_based_options_set_block_size(blocks, configuration.blockBytes)
    // A point read scans from a restart point on: four entries instead of sixteen.
    rocksdb_block_based_options_set_block_restart_interval(blocks, 4)
    rocksdb_block_based_options_set_block_cache(blocks, blockCache)
    rocksdb_block_based_options_set_cache_index_and_filter_blocks(blocks, 1)
    rocksdb_block_based_options_set_cache_index_and_filter_blocks_with_high_priority(blocks, 1)
    rocksdb_block_based_options_set_pin_l0_filter_and_index_blocks_in_cache(blocks, 1)
    // Index and filter take a twentieth of a table's bytes. Whole, they would have to stay in memory:
    // to read one of them again costs more than a get. In pieces they come and go with the data.
    rocksdb_block_based_options_set_index_type(
      blocks,
      Int32(rocksdb_block_based_table_index_type_two_level_index_search)
    )
    rocksdb_block_based_options_set_partition_filters(blocks, 1)
    rocksdb_block_based_options_set_metadata_block_size(blocks, UInt64(Self.partitionBytes))
    rocksdb_block_based_options_set_pin_top_level_index_and_filter(blocks, 1)
    // A hash in each data block finds a key without the binary search, unless two restart points
    // share a bucket: hence three buckets a key.
    rocksdb_block_based_options_set_data_block_index_type(
      blocks,
      Int32(rocksdb_block_based_table_data_block_index_type_binary_search_and_hash)
    )
    rocksdb_block_based_options_set_data_block_hash_ratio(blocks, 0.33)
    rocksdb_block_based_options_set_filter_policy(
      blocks,
      rocksdb_filterpolicy_create_bloom_full(configuration.bloomBitsPerKey)
    )
    rocksdb_options_set_block_based_table_factory(database, blocks)
  }
}
