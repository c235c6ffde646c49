import BaseStatus
import DocumentCodec
import FirestoreModel

/// `ExecutePipeline`, as far as refusing it asks: pipelines are not served.
package struct ExecutePipelineRequest: WireRequest {
  /// The database that the pipeline would run on.
  package let database: DatabaseID

  /// The error that every pipeline gets.
  package static var refusal: ServiceError { PipelineRefusal.error }

  /// Reads the database's name and passes over the pipeline.
  package init(from reader: inout ProtobufReader) throws {
    var database = ""
    while let field = try reader.nextField() {
      if field == 1 { database = try reader.string() } else { try reader.skip() }
    }
    self.database = try DatabaseID(parsing: database)
  }
}

/// The refusal of pipelines, whichever way they come.
enum PipelineRefusal {
  static var error: ServiceError {
    ServiceError(
      .unimplemented,
      "Pipeline operations are not supported by Brasa. Use structured queries."
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
