import FirestoreModel
internal import SwiftProtobuf

extension Google_Firestore_Admin_V1_Database {
  /// Sets when the database was made.
  package mutating func setCreateTime(_ version: CommitVersion) {
    createTime = Google_Protobuf_Timestamp(version)
  }

  /// Sets from when on the database can be read, and for how many seconds versions are kept.
  package mutating func setHistory(from earliest: CommitVersion, seconds: Int64) {
    earliestVersionTime = Google_Protobuf_Timestamp(earliest)
    versionRetentionPeriod = Google_Protobuf_Duration(seconds: seconds)
  }
}

extension Google_Firestore_Admin_V1_BulkDeleteDocumentsMetadata {
  /// Sets when the deletion began and, if it has ended, when it did.
  package mutating func setTimes(start: CommitVersion, end: CommitVersion?) {
    startTime = Google_Protobuf_Timestamp(start)
    if let end { endTime = Google_Protobuf_Timestamp(end) }
  }
}

extension Google_Firestore_Admin_V1_CloneDatabaseMetadata {
  /// Sets when the copy began and, if it has ended, when it did, and the version that is copied.
  package mutating func setTimes(
    start: CommitVersion,
    end: CommitVersion?,
    snapshot: CommitVersion
  ) {
    startTime = Google_Protobuf_Timestamp(start)
    if let end { endTime = Google_Protobuf_Timestamp(end) }
    pitrSnapshot.snapshotTime = Google_Protobuf_Timestamp(snapshot)
  }
}

extension Google_Firestore_Admin_V1_RestoreDatabaseMetadata {
  /// Sets when the restore began and, if it has ended, when it did.
  package mutating func setTimes(start: CommitVersion, end: CommitVersion?) {
    startTime = Google_Protobuf_Timestamp(start)
    if let end { endTime = Google_Protobuf_Timestamp(end) }
  }
}

extension Google_Firestore_Admin_V1_PitrSnapshot {
  /// The time in microseconds since 1970; nil where it is missing or no whole number of them.
  package var version: CommitVersion? {
    guard hasSnapshotTime, snapshotTime.nanos % 1_000 == 0,
      (-62_135_596_800...253_402_300_799).contains(snapshotTime.seconds)
    else { return nil }
    return CommitVersion(
      microseconds: snapshotTime.seconds * 1_000_000 + Int64(snapshotTime.nanos) / 1_000
    )
  }
}

extension Google_Firestore_Admin_V1_Backup {
  /// Sets which time the backup is of, and until when it is kept.
  package mutating func setTimes(snapshot: CommitVersion, expiry: CommitVersion) {
    snapshotTime = Google_Protobuf_Timestamp(snapshot)
    expireTime = Google_Protobuf_Timestamp(expiry)
  }
}

extension Google_Firestore_Admin_V1_BackupSchedule {
  /// Seconds for which a backup is kept; zero where that is not set.
  package var retentionSeconds: Int64 {
    get { hasRetention ? retention.seconds : 0 }
    set { retention = Google_Protobuf_Duration(seconds: newValue) }
  }

  /// Sets when the schedule was made and last changed.
  package mutating func setTimes(created: CommitVersion, updated: CommitVersion) {
    createTime = Google_Protobuf_Timestamp(created)
    updateTime = Google_Protobuf_Timestamp(updated)
  }
}

extension Google_Protobuf_Timestamp {
  fileprivate init(_ version: CommitVersion) {
    let time = version.timestamp
    self.init(seconds: time.seconds, nanos: time.nanos)
  }
}
