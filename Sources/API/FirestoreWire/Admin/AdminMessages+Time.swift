import FirestoreModel
internal import SwiftProtobuf

extension Google_Firestore_Admin_V1_Database {
  /// Sets when the database was made.
  package mutating func setCreateTime(_ version: CommitVersion) {
    createTime = Google_Protobuf_Timestamp(version)
  }
}

extension Google_Firestore_Admin_V1_BulkDeleteDocumentsMetadata {
  /// Sets when the deletion began and, if it has ended, when it did.
  package mutating func setTimes(start: CommitVersion, end: CommitVersion?) {
    startTime = Google_Protobuf_Timestamp(start)
    if let end { endTime = Google_Protobuf_Timestamp(end) }
  }
}

extension Google_Protobuf_Timestamp {
  fileprivate init(_ version: CommitVersion) {
    let time = version.timestamp
    self.init(seconds: time.seconds, nanos: time.nanos)
  }
}
