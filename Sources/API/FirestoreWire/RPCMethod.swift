/// The methods of `google.firestore.v1.Firestore`; raw values are the names in the gRPC path.
package enum RPCMethod: String, Sendable, CaseIterable {
  case getDocument = "GetDocument"
  case listDocuments = "ListDocuments"
  case createDocument = "CreateDocument"
  case updateDocument = "UpdateDocument"
  case deleteDocument = "DeleteDocument"
  case batchGetDocuments = "BatchGetDocuments"
  case beginTransaction = "BeginTransaction"
  case commit = "Commit"
  case rollback = "Rollback"
  case runQuery = "RunQuery"
  case executePipeline = "ExecutePipeline"
  case runAggregationQuery = "RunAggregationQuery"
  case partitionQuery = "PartitionQuery"
  case write = "Write"
  case listen = "Listen"
  case listCollectionIDs = "ListCollectionIds"
  case batchWrite = "BatchWrite"

  /// The number of messages that each side sends.
  package enum Shape: Sendable {
    case unary
    case serverStreaming
    case bidirectional
  }

  /// The direction in which the method streams, as the protocol's service declares it.
  package var shape: Shape {
    switch self {
    case .batchGetDocuments, .runQuery, .executePipeline, .runAggregationQuery: .serverStreaming
    case .write, .listen: .bidirectional
    default: .unary
    }
  }

  /// True if the method changes no document and takes no lock by itself.
  package var isReading: Bool {
    switch self {
    case .getDocument, .listDocuments, .batchGetDocuments, .runQuery, .runAggregationQuery,
      .partitionQuery, .listen, .listCollectionIDs:
      true
    case .createDocument, .updateDocument, .deleteDocument, .beginTransaction, .commit, .rollback,
      .write, .batchWrite, .executePipeline:
      false
    }
  }
}
