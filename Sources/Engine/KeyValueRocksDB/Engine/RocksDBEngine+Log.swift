import KeyValueStore

extension RocksDBEngine {
  /// The sequence number of the last acknowledged write.
  package var acknowledgedSequence: UInt64 { log.acknowledgedSequence }

  /// The acknowledged groups behind a sequence number, as they come; for an engine that keeps its log.
  package func groupLog(after sequence: UInt64) -> GroupLog {
    GroupLog(logFiles, after: sequence) { [log] in log.acknowledgedSequence }
  }

  /// Removes the kept files of the log with lower numbers, which have no readers any more.
  package func releaseLog(before file: Int) throws { try logFiles.removeArchived(before: file) }

  /// The bytes of files of the log that are kept for readers alone.
  package var keptLogBytes: Int { logFiles.archivedBytes() }
}
