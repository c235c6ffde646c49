import BaseStatus
import DocumentCodec
import DocumentStore
import FirestoreModel
import Pipelines

/// Writes a pipeline's rows to their documents, one commit for each; what was written before an error stays.
struct PipelineWriter {
  private let isDeleting: Bool
  private let database: Database
  private var count: Int64 = 0

  init(_ plan: StagePlan, _ database: Database) {
    isDeleting = plan.isDeleting
    self.database = database
  }

  /// The result of a pipeline that writes.
  var summary: Row {
    Row(MapValue([MapValue.Entry(key: "documents_modified", value: .integer(count))]))
  }

  /// Writes one row; FAILED_PRECONDITION or NOT_FOUND where its document does not exist.
  mutating func write(_ row: Row) throws {
    guard let name = row.name, name.database == database.id else {
      throw ServiceError.invalidArgument(
        "A stage that writes needs the field __name__ in each row."
      )
    }
    let operation: Write.Operation =
      isDeleting ? .delete : .update(try Self.fields(row, name), mask: nil)
    let write = Write(
      name: name,
      operation: operation,
      transforms: [],
      precondition: isDeleting ? nil : .exists(true)
    )
    let result = BlockingResult<CommitOutcome>()
    database.commit(CommitProposal(writes: [write])) { result.set($0) }
    _ = try result.wait()
    count += 1
  }

  private static func fields(_ row: Row, _ name: DocumentName) throws -> DocumentFields {
    try DocumentCodec.validate(DocumentFields(encoding: row.fields).bytes, name: name)
  }
}
