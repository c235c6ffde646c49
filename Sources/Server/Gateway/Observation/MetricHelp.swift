/// The texts of the metrics, for the operators who read the page; a metric without a text shows
/// none.
enum MetricHelp {
  static let texts = [
    // The port.
    "brasa_calls_total": "Calls of the API that ended, over gRPC and REST, by method and code.",
    "brasa_call_duration_seconds": "Duration of calls, from the request to the last response.",
    "brasa_http_requests_total": "HTTP requests outside the API, by status.",
    "brasa_connections": "Open connections.",
    "brasa_connections_limit": "Connections that may be open.",
    "brasa_descriptors_limit": "File descriptors that the process may have open.",
    "brasa_descriptors_open": "File descriptors that are open.",
    "brasa_connections_displaced_total":
      "Connections that were closed for new ones at the limit.",
    "brasa_passed_requests": "Requests in flight to the primary of the cluster.",
    "brasa_passed_streams": "Streams of devices that the primary of the cluster serves.",
    "brasa_received_bytes_total": "Bytes received from clients.",
    "brasa_sent_bytes_total": "Bytes sent to clients.",
    "brasa_open_streams": "Open Listen and Write streams.",
    "brasa_stream_messages_received_total": "Messages received on streams.",
    "brasa_stream_messages_sent_total": "Messages sent on streams.",
    "brasa_client_memory_request_bytes": "Bytes of requests without a response yet.",
    "brasa_client_memory_response_bytes":
      "Bytes of responses that are not written to the socket yet.",
    "brasa_client_memory_session_bytes": "Bytes that sessions keep between requests.",
    "brasa_client_memory_commit_bytes": "Bytes of commits that are waiting for their group.",
    "brasa_client_memory_feed_bytes":
      "Bytes of commits that are waiting for the listeners' thread.",
    "brasa_client_memory_listener_bytes": "Bytes of changes queued for slow listeners.",
    "brasa_client_memory_pool_bytes": "The part of those bytes beyond each client's allowance.",
    "brasa_client_memory_pool_limit_bytes": "The bound of the pool.",

    // Remote Config.
    "brasa_config_templates": "Templates of all projects.",
    "brasa_config_templates_loaded": "Templates that are compiled in memory.",
    "brasa_config_fetches_total": "Fetches of values that succeeded.",
    "brasa_config_fetches_unchanged_total":
      "Fetches among them by clients that already had the values.",
    "brasa_config_streams": "Clients that listen for a new template.",
    "brasa_config_invalidations_total": "Notifications of a new template to such clients.",

    // Analytics.
    "brasa_analytics_projects": "Projects that have sent events.",
    "brasa_analytics_batches_total": "Batches of events received.",
    "brasa_analytics_batches_repeated_total": "Batches among them that were received before.",
    "brasa_analytics_batches_refused_total":
      "Batches that were refused: too many bytes, or no free space.",
    "brasa_analytics_batches_unproven_total": "Batches without an installation's token.",
    "brasa_analytics_names_refused_total":
      "Events that were dropped because their sender's share of an app's new names was used up.",
    "brasa_analytics_batches_unproven_refused_total": "Batches among them that were refused.",
    "brasa_analytics_space_low":
      "1 while the disk is nearly full and unauthenticated senders are refused.",
    "brasa_analytics_space_short": "1 while the disk is full and every batch is refused.",
    "brasa_analytics_days_dropped_total": "Days of events that were deleted to free space.",
    "brasa_analytics_events_total": "Events that were accepted.",
    "brasa_analytics_events_dropped_total":
      "Events that were not accepted: invalid, late or too many.",
    "brasa_analytics_events_debug_total": "Events of devices in debug mode, which are not counted.",
    "brasa_analytics_events_waiting": "Events that are durable and not counted yet.",
    "brasa_analytics_segments_waiting": "Segments of events that are not counted yet.",
    "brasa_analytics_segments_sealed_total": "Segments of events that were counted.",
    "brasa_analytics_merges_total": "Days whose counts were merged.",

    // Messages.
    "brasa_messaging_accepted_total": "Messages that were accepted.",
    "brasa_messaging_retries_total": "Deliveries that are retried.",
    "brasa_messaging_streams": "Devices with an open stream for messages.",

    // The backup.
    "brasa_events_triggers": "Triggers and subscriptions of all projects.",
    "brasa_events_waiting": "Events that are pending.",
    "brasa_events_delivered_total": "Events that were delivered.",
    "brasa_events_failed_attempts_total": "Delivery attempts that failed.",
    "brasa_events_dead_total": "Events that could not be delivered.",
    "brasa_events_dead_letters": "Events that could not be delivered and are kept.",
    "brasa_backup_lag_seconds":
      "Age of the oldest acknowledged write that the backup does not contain.",
    "brasa_backup_delay_p99_seconds": "Delay of writes on their way to the backup, p99.",
    "brasa_backup_failing": "1 if the last step of the backup failed, else 0.",
    "brasa_backup_segments_total": "Segments written to the backup.",
    "brasa_backup_bytes_total": "Bytes written to the backup.",
    "brasa_backup_base_timestamp_seconds": "Time of the last base snapshot.",
    "brasa_backup_proven_timestamp_seconds":
      "Time of the last verification of the backup by a restore.",

    // Commits.
    "brasa_commit_group_commits": "Commits in each group that became durable with one sync.",
    "brasa_engine_jobs_waiting": "Jobs queued for the engine's threads.",
    "brasa_engine_reads_waiting": "Point reads and commits among them.",
    "brasa_engine_reads_busy": "Threads for point reads and commits.",
    "brasa_engine_reads_refused_total": "Such jobs that were refused because the queue was full.",
    "brasa_engine_scans_waiting": "Slices of long queries among them.",
    "brasa_engine_scans_busy": "Threads for slices of long queries.",
    "brasa_engine_scans_refused_total": "Such jobs that were refused because the queue was full.",
    "brasa_engine_maintenance_waiting": "Administration and cleanup jobs among them.",
    "brasa_engine_maintenance_busy": "Threads for administration and cleanup.",
    "brasa_engine_maintenance_refused_total":
      "Such jobs that were refused because the queue was full.",
    "brasa_engine_files_waiting": "Reading and writing of files' bytes among them.",
    "brasa_engine_files_busy": "Threads that read and write files' bytes.",
    "brasa_engine_files_refused_total": "Such jobs that were refused because the queue was full.",
    "brasa_engine_intake_waiting": "Reading of batches of events among them.",
    "brasa_engine_intake_busy": "Threads that read batches of events.",
    "brasa_engine_intake_refused_total": "Such jobs that were refused because the queue was full.",

    // Accounts.
    "brasa_accounts_jobs_waiting": "Account calls queued for a thread.",
    "brasa_accounts_threads_busy": "Threads for account calls.",
    "brasa_accounts_jobs_refused_total":
      "Account calls that were refused because the queue was full.",

    // The engine.
    "brasa_storage_uploads_open": "Files that are being uploaded in one request, or composed.",
    "brasa_storage_upload_sessions_in_memory": "Resumable uploads that continued recently.",
    "brasa_storage_upload_bytes_hashed_again_total":
      "Bytes of unfinished uploads that were read again for their hashes.",
    "brasa_storage_unfinished_uploads":
      "Uploads that count towards the limit of unfinished uploads.",
    "brasa_storage_unfinished_upload_bytes":
      "Bytes of unfinished uploads that count towards the limit.",
    "brasa_storage_free_bytes": "Free bytes on the disk of stored files.",
    "brasa_storage_file_syncs_total": "Syncs of stored files and of their directories.",
    "brasa_storage_writable":
      "1 while the store accepts writes, tested by a write every five seconds, else 0.",
    "brasa_events_writable":
      "1 while the store of analytics events accepts writes, tested by a write every five seconds, else 0.",
    "brasa_kv_recoveries_total":
      "Times that the store was reopened after a lack of descriptors or disk space.",
    "brasa_kv_writes_total": "Writes that shared groups: batches of commits, sign-ins, sweeps.",
    "brasa_kv_write_groups_total": "Groups of writes that were started.",
    "brasa_kv_group_keys": "Keys in each group that became durable with one sync.",
    "brasa_kv_group_durable_seconds": "Duration of writing and syncing a group.",
    "brasa_kv_keys_estimate": "Keys in the store, as RocksDB estimates them.",
    "brasa_kv_table_bytes": "Bytes of the table files.",
    "brasa_kv_memtable_bytes": "Bytes that are not in a table file yet.",
    "brasa_kv_block_cache_bytes": "Bytes of the block cache in use.",
    "brasa_kv_block_cache_pinned_bytes": "Bytes of the block cache that reads hold.",
    "brasa_kv_table_reader_bytes": "Bytes of indexes and filters outside the block cache.",
    "brasa_kv_compaction_pending_bytes": "Bytes that compactions have yet to rewrite.",
    "brasa_kv_background_errors":
      "Flushes, compactions, writes and syncs of the log that failed; anything but 0 needs attention.",
    "brasa_task_failing": "1 while a background task fails, 0 when it works again, by task.",
    "brasa_clock_step_seconds":
      "Seconds that the system clock is ahead of the server's time, else 0.",
    "brasa_database_clock_step_seconds":
      "The same for the clock of the PostgreSQL server.",
    "brasa_kv_write_stopped": "1 while the engine or RocksDB stops writes, else 0.",
    "brasa_damaged_reads_total": "Reads that found damaged data; anything but 0 needs attention.",
    "brasa_kv_connections_total": "Connections to PostgreSQL that were opened.",
    "brasa_kv_lost_answers_total":
      "Groups without a response to their commit; the outcome was read afterwards.",
    "brasa_kv_snapshots": "Snapshots that reads hold.",

    // Listeners.
    "brasa_listen_streams": "Streams of listeners.",
    "brasa_listen_targets": "Targets: queries and documents that clients listen to.",
    "brasa_listen_views": "Different queries and documents among the targets.",
    "brasa_listen_paused_streams": "Streams with a client that reads too slowly now.",
    "brasa_listen_backlog_bytes": "Bytes of changes queued for slow clients.",
    "brasa_listen_inbox_waiting": "Messages queued for the listeners' thread.",
    "brasa_listen_reads_waiting": "First reads and refills queued for a thread.",
    "brasa_listen_refills_total": "Windows of limited queries that were read again.",
    "brasa_listen_commits_total": "Commits that listeners were checked against.",
    "brasa_listen_batches_total": "Batches in which those commits came.",
    "brasa_listen_deliveries_total": "Changes sent to a target.",
    "brasa_listen_feed_bytes": "Bytes of commits queued for matching with listeners.",
    "brasa_listen_feed_gaps_total":
      "Times that all listeners were disconnected because too many commits were queued.",
    "brasa_listen_overflows_total": "Targets that restarted because a client read too slowly.",
    "brasa_listen_resumptions_total": "Targets that resumed from a token.",
    "brasa_listen_unusable_tokens_total": "Resume tokens that were too old or from another server.",
  ]

  /// The outcomes of deliveries, by the last part of the metric's name but one.
  private static let deliveries = [
    "waiting": "Deliveries that were queued",
    "handed": "Deliveries that a push service accepted",
    "acknowledged": "Deliveries that a device acknowledged",
    "opened": "Messages that were opened",
    "collapsed": "Deliveries that a newer message replaced",
    "expired": "Deliveries that expired",
    "refused": "Deliveries that a push service refused",
    "gone": "Deliveries to a device that no longer exists",
  ]
  private static let transports = [
    "apns": "by Apple's service", "webpush": "by Web Push",
    "direct": "on the server's own stream",
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
