import DocumentCodec
import FirestoreModel

/// `ExecutePipeline`, as far as refusing it asks: pipelines are not served.
package struct ExecutePipelineRequest: WireRequest {
  package let database: DatabaseID

  /// What every pipeline is answered.
  package static var refusal: FirestoreError { PipelineRefusal.error }

  package init(from reader: inout ProtobufReader) throws {
    var database = ""
    while let field = try reader.nextField() {
      if field == 1 { database = try reader.string() } else { try reader.skip() }
    }
    self.database = try DatabaseID(parsing: database)
  }
}

/// What a database of the Standard edition says to pipelines.
enum PipelineRefusal {
  static var error: FirestoreError {
    FirestoreError(
      .failedPrecondition,
      "Pipeline Operations are only available for Firestore databases in Enterprise edition.",
      reason: FirestoreError.Reason("PIPELINE_REQUIRES_ENTERPRISE_EDITION")
    )
  }
}

/// `grpc.health.v1.Health/Check` and `/Watch`.
package struct HealthCheckRequest: WireRequest {
  /// Empty asks for the server as a whole.
  package let service: String

  package init(from reader: inout ProtobufReader) throws {
    var service = ""
    while let field = try reader.nextField() {
      if field == 1 { service = try reader.string() } else { try reader.skip() }
    }
    self.service = service
  }
}
