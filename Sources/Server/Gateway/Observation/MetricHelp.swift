/// The texts of the metrics, for the operators who read the page; a metric without a text shows
/// none.
enum MetricHelp {
  static let texts = [
    // The port.
    "brasa_calls_total": "Calls of the API that ended, over gRPC and REST, by method and code.",
    "brasa_call_duration_seconds": "How long calls took, from the request to the last answer.",
    "brasa_http_requests_total": "HTTP requests that are no calls of the API, by status.",
    "brasa_connections": "Open connections.",
    "brasa_connections_limit": "Connections that may be open.",
    "brasa_descriptors_limit": "File descriptors that the process may have open.",
    "brasa_descriptors_open": "File descriptors that are open.",
    "brasa_connections_displaced_total":
      "Connections that were ended for others when the limit was reached.",
    "brasa_passed_requests": "Requests under way to the home node of the cluster.",
    "brasa_passed_streams": "Streams of devices that the home node of the cluster serves.",
    "brasa_received_bytes_total": "Bytes that came from clients.",
    "brasa_sent_bytes_total": "Bytes that went to clients.",
    "brasa_open_streams": "Open Listen and Write streams.",
    "brasa_stream_messages_received_total": "Messages that clients sent on streams.",
    "brasa_stream_messages_sent_total": "Messages that were sent on streams.",
    "brasa_client_memory_request_bytes": "Bytes of requests that are not answered yet.",
    "brasa_client_memory_response_bytes": "Bytes of answers that have not left for the socket.",
    "brasa_client_memory_session_bytes": "Bytes that sessions keep between requests.",
    "brasa_client_memory_commit_bytes": "Bytes of commits that wait for their group.",
    "brasa_client_memory_feed_bytes": "Bytes of commits that wait for the listeners' thread.",
    "brasa_client_memory_listener_bytes": "Bytes of changes that wait for slow listeners.",
    "brasa_client_memory_pool_bytes": "Of those bytes, what is beyond each client's allowance.",
    "brasa_client_memory_pool_limit_bytes": "The bound of the pool.",

    // Remote Config.
    "brasa_config_templates": "Templates of all projects.",
    "brasa_config_templates_loaded": "Templates that are compiled in memory.",
    "brasa_config_fetches_total": "Fetches of values that were answered.",
    "brasa_config_fetches_unchanged_total": "Fetches among them by clients that had the values.",
    "brasa_config_streams": "Clients that wait to hear of a new template.",
    "brasa_config_invalidations_total": "Times that such a client was told of one.",

    // Analytics.
    "brasa_analytics_projects": "Projects that have sent events.",
    "brasa_analytics_batches_total": "Batches of events that came.",
    "brasa_analytics_batches_repeated_total": "Batches among them that had come before.",
    "brasa_analytics_batches_refused_total":
      "Batches that were refused: too many bytes, or no room.",
    "brasa_analytics_batches_unproven_total": "Batches that came without an installation's token.",
    "brasa_analytics_names_refused_total":
      "Events that were dropped because their sender's share of an app's new names was used up.",
    "brasa_analytics_batches_unproven_refused_total": "Batches among them that were refused.",
    "brasa_analytics_space_low":
      "1 while the disk is nearly full and unproven senders are refused.",
    "brasa_analytics_space_short": "1 while the disk is full and every batch is refused.",
    "brasa_analytics_days_dropped_total": "Days of events that were dropped to make room.",
    "brasa_analytics_events_total": "Events that were taken.",
    "brasa_analytics_events_dropped_total": "Events that were not taken: wrong, late, too many.",
    "brasa_analytics_events_debug_total": "Events of devices in debug mode, which nobody counts.",
    "brasa_analytics_events_waiting": "Events that are durable and not counted yet.",
    "brasa_analytics_segments_waiting": "Segments of events that wait to be counted.",
    "brasa_analytics_segments_sealed_total": "Segments of events that were counted.",
    "brasa_analytics_merges_total": "Days whose counts were merged.",

    // Messages.
    "brasa_messaging_accepted_total": "Messages that were accepted.",
    "brasa_messaging_retries_total": "Deliveries that are tried once more.",
    "brasa_messaging_streams": "Devices that wait for messages on a stream.",

    // The backup.
    "brasa_events_triggers": "Triggers and subscriptions of all projects.",
    "brasa_events_waiting": "Events that wait for delivery.",
    "brasa_events_delivered_total": "Events that were delivered.",
    "brasa_events_failed_attempts_total": "Attempts to deliver that failed.",
    "brasa_events_dead_total": "Events that could not be delivered.",
    "brasa_events_dead_letters": "Events that could not be delivered and are kept.",
    "brasa_backup_lag_seconds": "Age of the oldest acknowledged write that the backup has not.",
    "brasa_backup_delay_p99_seconds": "Delay of writes on their way to the backup, p99.",
    "brasa_backup_failing": "Whether the last step of the backup failed.",
    "brasa_backup_segments_total": "Segments that the backup took.",
    "brasa_backup_bytes_total": "Bytes that the backup took.",
    "brasa_backup_base_timestamp_seconds": "Instant of the last base snapshot.",
    "brasa_backup_proven_timestamp_seconds": "When a restore last proved the backup.",

    // Commits.
    "brasa_commit_group_commits": "Commits in each group that became durable with one sync.",
    "brasa_engine_jobs_waiting": "Jobs that wait for one of the engine's threads.",
    "brasa_engine_reads_waiting": "Point reads and commits among them.",
    "brasa_engine_reads_busy": "Threads that work on point reads and commits.",
    "brasa_engine_reads_refused_total": "Such jobs that were refused, because too many waited.",
    "brasa_engine_scans_waiting": "Slices of long queries among them.",
    "brasa_engine_scans_busy": "Threads that work on slices of long queries.",
    "brasa_engine_scans_refused_total": "Such jobs that were refused, because too many waited.",
    "brasa_engine_maintenance_waiting": "Administration and clean-up among them.",
    "brasa_engine_maintenance_busy": "Threads that work on administration and clean-up.",
    "brasa_engine_maintenance_refused_total":
      "Such jobs that were refused, because too many waited.",
    "brasa_engine_files_waiting": "Reading and writing of files' bytes among them.",
    "brasa_engine_files_busy": "Threads that read and write files' bytes.",
    "brasa_engine_files_refused_total": "Such jobs that were refused, because too many waited.",
    "brasa_engine_intake_waiting": "Reading of batches of events among them.",
    "brasa_engine_intake_busy": "Threads that read batches of events.",
    "brasa_engine_intake_refused_total": "Such jobs that were refused, because too many waited.",

    // Accounts.
    "brasa_accounts_jobs_waiting": "Account calls that wait for a thread.",
    "brasa_accounts_threads_busy": "Threads that work on account calls.",
    "brasa_accounts_jobs_refused_total": "Account calls that were refused: too many waited.",

    // The engine.
    "brasa_storage_uploads_open": "Files that are being uploaded in one request, or composed.",
    "brasa_storage_upload_sessions_in_memory": "Resumable uploads that were gone on with lately.",
    "brasa_storage_upload_bytes_hashed_again_total":
      "Bytes of unfinished uploads that were read again for their hashes.",
    "brasa_storage_unfinished_uploads": "Uploads that count against the bounds of unfinished ones.",
    "brasa_storage_unfinished_upload_bytes": "Bytes for which unfinished uploads count.",
    "brasa_storage_free_bytes": "Bytes that the disk of stored files has left.",
    "brasa_storage_file_syncs_total": "Syncs of stored files and of their directories.",
    "brasa_storage_writable":
      "1 while the store takes writes, by a write every five seconds, else 0.",
    "brasa_events_writable":
      "1 while the store of analytics' events takes writes, by a write every five seconds, else 0.",
    "brasa_kv_recoveries_total":
      "Times that the store was opened again after want of descriptors or of room on the disk.",
    "brasa_kv_writes_total": "Writes that shared groups: batches of commits, sign-ins, sweeps.",
    "brasa_kv_write_groups_total": "Groups of writes that were begun.",
    "brasa_kv_group_keys": "Keys in each group that became durable with one sync.",
    "brasa_kv_group_durable_seconds": "How long writing and syncing a group took.",
    "brasa_kv_keys_estimate": "Keys in the store, as RocksDB estimates them.",
    "brasa_kv_table_bytes": "Bytes of the table files.",
    "brasa_kv_memtable_bytes": "Bytes of what is not in a table file yet.",
    "brasa_kv_block_cache_bytes": "Bytes of the block cache in use.",
    "brasa_kv_block_cache_pinned_bytes": "Bytes of the block cache that reads hold.",
    "brasa_kv_table_reader_bytes": "Bytes of indexes and filters outside the block cache.",
    "brasa_kv_compaction_pending_bytes": "Bytes that compactions have yet to rewrite.",
    "brasa_kv_background_errors":
      "Flushes, compactions, writes and syncs of the log that failed; anything but 0 needs you.",
    "brasa_task_failing": "1 while a background task fails, 0 when it works again, by task.",
    "brasa_clock_step_seconds":
      "How far the system clock is ahead of the time that is used; else 0.",
    "brasa_database_clock_step_seconds":
      "The same of the clock of PostgreSQL's server.",
    "brasa_kv_write_stopped": "1 while the engine takes no writes, or RocksDB stops them, else 0.",
    "brasa_damaged_reads_total": "Reads that met damaged data; anything but 0 needs you.",
    "brasa_kv_connections_total": "Connections to PostgreSQL that were made.",
    "brasa_kv_lost_answers_total":
      "Groups whose commit was not answered, of which was found out afterwards what came of them.",
    "brasa_kv_snapshots": "Snapshots that reads hold.",

    // Listeners.
    "brasa_listen_streams": "Streams of listeners.",
    "brasa_listen_targets": "Targets: queries and documents that clients listen to.",
    "brasa_listen_views": "Different queries and documents among the targets.",
    "brasa_listen_paused_streams": "Streams whose client reads too slowly at the moment.",
    "brasa_listen_backlog_bytes": "Bytes of changes that wait for slow clients.",
    "brasa_listen_inbox_waiting": "Messages that wait for the listeners' thread.",
    "brasa_listen_reads_waiting": "First reads and refills that wait for a thread.",
    "brasa_listen_refills_total": "Windows of limited queries that were read again.",
    "brasa_listen_commits_total": "Commits that listeners were checked against.",
    "brasa_listen_batches_total": "Batches in which those commits came.",
    "brasa_listen_deliveries_total": "Changes that were told to a target.",
    "brasa_listen_feed_bytes": "Bytes of commits that wait to be matched with listeners.",
    "brasa_listen_feed_gaps_total":
      "Times that all listeners were sent away because too many commits waited.",
    "brasa_listen_overflows_total": "Targets that began anew because a client read too slowly.",
    "brasa_listen_resumptions_total": "Targets that went on from a token.",
    "brasa_listen_unusable_tokens_total": "Tokens that were too old or not ours.",
  ]

  /// The outcomes of deliveries, by the last part of the metric's name but one.
  private static let deliveries = [
    "waiting": "Deliveries that were queued",
    "handed": "Deliveries that a push service took",
    "acknowledged": "Deliveries that a device acknowledged",
    "opened": "Messages that somebody opened",
    "collapsed": "Deliveries that a newer message took the place of",
    "expired": "Deliveries whose time was over",
    "refused": "Deliveries that a push service refused",
    "gone": "Deliveries whose device is gone",
  ]
  private static let transports = [
    "apns": "by Apple's service", "webpush": "by Web Push",
    "direct": "on a stream of the server's own",
  ]

  /// Returns the text of a metric; nil if it has none.
  static func text(of name: String) -> String? {
    if let text = texts[name] { return text }
    // The events' store has the metrics of the documents'.
    if name.hasPrefix("brasa_events_kv_") {
      return texts["brasa_" + name.dropFirst("brasa_events_".count)].map { "Of events: \($0)" }
    }
    if name.hasPrefix("brasa_messaging_reason_"), name.hasSuffix("_total") {
      let reason = name.dropFirst("brasa_messaging_reason_".count).dropLast("_total".count)
      return "Deliveries that ended for the reason \(reason.replacing("_", with: "-"))."
    }
    let parts = name.split(separator: "_").map(String.init)
    guard parts.count == 5, parts[1] == "messaging", let transport = transports[parts[2]],
      let delivery = deliveries[parts[3]]
    else { return nil }
    return "\(delivery), \(transport)."
  }
}
