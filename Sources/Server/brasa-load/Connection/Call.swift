/// One request to send.
struct OutgoingCall: Sendable {
  /// The kind of a request.
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

/// The response on a stream.
struct Answer: Sendable {
  /// gRPC's status.
  var status: Int
  var statusMessage: String
  var messages: [[UInt8]]

  /// gRPC's code for a conflict between transactions.
  static let aborted = 10
  /// The code that is reported when the connection ended first.
  static let unavailable = 14

  /// The name by which the response counts among errors.
  var errorName: String { "code \(status): \(statusMessage.prefix(120))" }
}
