import FirestoreModel
internal import SwiftProtobuf

extension Google_Firestore_Admin_V1_Database {
  /// Sets when the database was made.
  package mutating func setCreateTime(_ version: CommitVersion) {
    let time = version.timestamp
    createTime = Google_Protobuf_Timestamp(seconds: time.seconds, nanos: time.nanos)
  }
}
