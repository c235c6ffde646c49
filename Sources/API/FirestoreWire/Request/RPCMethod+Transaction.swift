import DocumentCodec

extension RPCMethod {
  /// The transaction in which a request is made, found without reading the rest of it.
  ///
  /// Nil if it names none, or if its bytes are not a message, which the decoder reports.
  package func transaction(in request: [UInt8]) -> [UInt8]? {
    guard let number = transactionField else { return nil }
    let found = try? request.withUnsafeBytes { bytes in
      var reader = ProtobufReader(bytes)
      var transaction: [UInt8] = []
      while let field = try reader.nextField() {
        if field == number { transaction = try reader.byteArray() } else { try reader.skip() }
      }
      return transaction
    }
    guard let found, !found.isEmpty else { return nil }
    return found
  }

  /// The number of the request's field `transaction`; nil where it has none.
  private var transactionField: Int? {
    switch self {
    case .rollback: 2
    case .getDocument, .commit: 3
    case .batchGetDocuments, .runAggregationQuery: 4
    case .runQuery, .executePipeline: 5
    case .listDocuments: 8
    case .createDocument, .updateDocument, .deleteDocument, .beginTransaction, .partitionQuery,
      .write, .listen, .listCollectionIDs, .batchWrite:
      nil
    }
  }
}
