/// One request to send.
struct OutgoingCall: Sendable {
  /// What kinds of requests there are.
  enum Method: Sendable {
    case getDocument, createDocument, commit, runQuery, runAggregationQuery, batchGetDocuments

    /// The path of the request.
    var path: String {
      switch self {
      case .getDocument: "/google.firestore.v1.Firestore/GetDocument"
      case .createDocument: "/google.firestore.v1.Firestore/CreateDocument"
      case .commit: "/google.firestore.v1.Firestore/Commit"
      case .runQuery: "/google.firestore.v1.Firestore/RunQuery"
      case .runAggregationQuery: "/google.firestore.v1.Firestore/RunAggregationQuery"
      case .batchGetDocuments: "/google.firestore.v1.Firestore/BatchGetDocuments"
      }
    }
  }

  let method: Method
  /// The message, without gRPC's prefix.
  let message: [UInt8]
}

/// What came back on a stream.
struct Answer: Sendable {
  /// gRPC's status.
  var status: Int
  var statusMessage: String
  var messages: [[UInt8]]

  /// gRPC's code for a conflict between transactions.
  static let aborted = 10
  /// What is reported when the connection ended first.
  static let unavailable = 14

  /// How the answer counts among errors.
  var errorName: String { "code \(status): \(statusMessage.prefix(120))" }
}
