import BaseStatus
import BaseText
import DocumentCodec
import FirestoreModel
import PipelineModel

/// `ExecutePipeline`.
package struct ExecutePipelineRequest: WireRequest {
  /// The database that the pipeline runs on.
  package let database: DatabaseID
  /// The pipeline's stages, not yet checked.
  package let stages: [PipelineStage]
  /// The pipeline's options by name, not yet checked.
  package let options: [String: PipelineOperand]
  /// The version to read at, or the transaction to read in or to begin.
  package let consistency: ReadConsistency

  /// Reads the message; INVALID_ARGUMENT without a structured pipeline, UNIMPLEMENTED where the
  /// server is to commit the transaction.
  ///
  /// `request_options` is skipped: it holds tags for Google's logs alone.
  package init(from reader: inout ProtobufReader) throws {
    var database = ""
    var content: UnsafeRawBufferPointer?
    var selector = ConsistencySelector(transaction: 5, newTransaction: 6, readTime: 7)
    while let field = try reader.nextField() {
      switch field {
      case 1: database = try reader.string()
      case 2: try content.set(try reader.content(), once: "pipeline_type")
      case 9: if try reader.bool() { throw Self.autoCommitRefusal }
      default: try selector.read(field, from: &reader)
      }
    }
    self.database = try DatabaseID(parsing: database)
    consistency = selector.consistency
    guard let content else {
      throw ServiceError.invalidArgument("The request has no structured pipeline.")
    }
    (stages, options) = try PipelineMessage.structured(content)
  }

  private static var autoCommitRefusal: ServiceError {
    ServiceError(
      .unimplemented,
      "Brasa does not support auto_commit_transaction. Commit the transaction by a call of its own."
    )
  }
}

/// The refusal of listening to pipelines.
enum PipelineRefusal {
  static var error: ServiceError {
    ServiceError(
      .unimplemented,
      "Brasa does not support listening to pipelines. Listen to a query, or execute the pipeline."
    )
  }
}

/// `grpc.health.v1.Health/Check` and `/Watch`.
package struct HealthCheckRequest: WireRequest {
  /// Empty asks for the server as a whole.
  package let service: String

  /// Reads the message; unknown services are no error here.
  package init(from reader: inout ProtobufReader) throws {
    var service = ""
    while let field = try reader.nextField() {
      if field == 1 { service = try reader.string() } else { try reader.skip() }
    }
    self.service = service
  }
}
