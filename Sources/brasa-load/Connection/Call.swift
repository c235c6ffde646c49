import NIOCore

/// One request to send.
struct OutgoingCall: Sendable {
  /// What kinds of requests there are; their headers are made once a connection.
  enum Method: Int, Sendable, CaseIterable {
    case getDocument, createDocument, commit, runQuery, runAggregationQuery, batchGetDocuments
    /// `GET /metrics`, which is not gRPC.
    case metrics

    /// The path of the request.
    var path: String {
      switch self {
      case .getDocument: "/google.firestore.v1.Firestore/GetDocument"
      case .createDocument: "/google.firestore.v1.Firestore/CreateDocument"
      case .commit: "/google.firestore.v1.Firestore/Commit"
      case .runQuery: "/google.firestore.v1.Firestore/RunQuery"
      case .runAggregationQuery: "/google.firestore.v1.Firestore/RunAggregationQuery"
      case .batchGetDocuments: "/google.firestore.v1.Firestore/BatchGetDocuments"
      case .metrics: "/metrics"
      }
    }
  }

  let method: Method
  /// The message, without gRPC's prefix.
  let message: [UInt8]
}

/// What came back on a stream.
struct Answer: Sendable {
  /// gRPC's status; for other requests 0 when the HTTP status is 200.
  var status: Int
  var statusMessage: String
  /// The response messages, or a body in one piece where the request was not gRPC.
  var messages: [[UInt8]]

  /// gRPC's code for a conflict between transactions.
  static let aborted = 10
  /// What is reported when the connection ended first.
  static let unavailable = 14

  /// How the answer counts among errors.
  var errorName: String { "code \(status): \(statusMessage.prefix(120))" }

  /// Splits a body into gRPC messages: five bytes of prefix, then the message.
  static func messages(in body: ByteBuffer) -> [[UInt8]] {
    var rest = body
    var messages: [[UInt8]] = []
    while rest.readInteger(as: UInt8.self) != nil,
      let length = rest.readInteger(as: UInt32.self),
      let message = rest.readBytes(length: Int(length))
    {
      messages.append(message)
    }
    return messages
  }
}
