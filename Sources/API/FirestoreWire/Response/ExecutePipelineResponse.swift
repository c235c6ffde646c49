import DocumentCodec
import FirestoreModel

/// A row of a pipeline's result.
package enum PipelineResult: Sendable, Hashable {
  /// A document that no stage has changed.
  case document(DocumentRecord)
  /// Fields, and the document's name and times as far as they are still fields of the row.
  case row(MapValue, name: DocumentName?, createTime: Timestamp?, updateTime: Timestamp?)
}

/// One message of ExecutePipeline.
package struct ExecutePipelineResponse: WireResponse {
  private let transaction: [UInt8]?
  private let results: [PipelineResult]
  private let executionTime: CommitVersion?
  private let explanation: String?

  /// Rows, or other contents of a response: the transaction that the request began (first), the
  /// explanation (last).
  package init(
    transaction: [UInt8]? = nil,
    results: [PipelineResult] = [],
    executionTime: CommitVersion? = nil,
    explanation: String? = nil
  ) {
    self.transaction = transaction
    self.results = results
    self.executionTime = executionTime
    self.explanation = explanation
  }

  /// Writes the fields of a `google.firestore.v1.ExecutePipelineResponse`.
  package func write(to writer: inout ProtobufWriter) {
    writer.nonEmpty(1, transaction)
    for result in results {
      writer.message(2) { document in
        switch result {
        case .document(let record): document.documentFields(record, mask: nil)
        case .row(let fields, let name, let createTime, let updateTime):
          if let name { document.name(1, name) }
          document.mapEntries(2, fields)
          if let createTime { document.timestamp(3, createTime) }
          if let updateTime { document.timestamp(4, updateTime) }
        }
      }
    }
    writer.version(3, executionTime)
    if let explanation {
      writer.message(4) { $0.content(1, PipelineExplanation.any(explanation)) }
    }
  }
}

/// The explanation that an error gives of an explained pipeline: the cause of a `ServiceError`,
/// sent as a detail of its status.
package struct PipelineExplanation: Error, Sendable {
  /// The tree of the plan.
  package let text: String

  /// An explanation of that text.
  package init(_ text: String) { self.text = text }

  static let typeURL = "type.googleapis.com/google.firestore.v1.ExplainStats"
  static let stringTypeURL = "type.googleapis.com/google.protobuf.StringValue"

  /// A `google.protobuf.Any` of a `StringValue`.
  static func any(_ text: String) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.string(1, stringTypeURL)
    writer.message(2) { $0.string(1, text) }
    return writer.bytes
  }

  /// A `google.protobuf.Any` of an `ExplainStats`.
  var detail: [UInt8] {
    var writer = ProtobufWriter()
    writer.string(1, Self.typeURL)
    writer.message(2) { $0.content(1, Self.any(text)) }
    return writer.bytes
  }
}
