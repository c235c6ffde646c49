import FirestoreModel
internal import SwiftProtobuf

extension RESTTranscoder {
  /// The JSON of a response of that method.
  ///
  /// Bytes that are no such message are our fault: INTERNAL.
  package func json(
    of method: RPCMethod,
    response: [UInt8]
  ) throws(FirestoreError) -> [UInt8] {
    try MessageJSON.text(of: Self.responseType(of: method), bytes: response)
  }

  private static func responseType(of method: RPCMethod) -> any Message.Type {
    switch method {
    case .getDocument, .createDocument, .updateDocument: Google_Firestore_V1_Document.self
    case .deleteDocument, .rollback: Google_Protobuf_Empty.self
    case .listDocuments: Google_Firestore_V1_ListDocumentsResponse.self
    case .batchGetDocuments: Google_Firestore_V1_BatchGetDocumentsResponse.self
    case .beginTransaction: Google_Firestore_V1_BeginTransactionResponse.self
    case .commit: Google_Firestore_V1_CommitResponse.self
    case .runQuery: Google_Firestore_V1_RunQueryResponse.self
    case .executePipeline: Google_Firestore_V1_ExecutePipelineResponse.self
    case .runAggregationQuery: Google_Firestore_V1_RunAggregationQueryResponse.self
    case .partitionQuery: Google_Firestore_V1_PartitionQueryResponse.self
    case .write: Google_Firestore_V1_WriteResponse.self
    case .listen: Google_Firestore_V1_ListenResponse.self
    case .listCollectionIDs: Google_Firestore_V1_ListCollectionIdsResponse.self
    case .batchWrite: Google_Firestore_V1_BatchWriteResponse.self
    }
  }
}

/// Messages as proto3 JSON: the same message gives the same text.
enum MessageJSON {
  /// Decodes a message and writes it as JSON.
  static func text(
    of type: any Message.Type,
    bytes: [UInt8]
  ) throws(FirestoreError) -> [UInt8] {
    do {
      // Deeper than any document within its JSON-visible envelope.
      var options = BinaryDecodingOptions()
      options.messageDepthLimit = 256
      return try text(of: type.init(serializedBytes: bytes, options: options))
    } catch let error as FirestoreError {
      throw error
    } catch {
      throw FirestoreError(.internalError, "The answer cannot be written as JSON.", cause: error)
    }
  }

  /// Writes a message as JSON.
  static func text(of message: any Message) throws(FirestoreError) -> [UInt8] {
    var options = JSONEncodingOptions()
    options.useDeterministicOrdering = true
    do {
      return try message.jsonUTF8Bytes(options: options)
    } catch {
      throw FirestoreError(.internalError, "The answer cannot be written as JSON.", cause: error)
    }
  }
}
