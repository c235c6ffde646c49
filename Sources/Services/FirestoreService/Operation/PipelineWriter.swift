import BaseStatus
import DocumentCodec
import DocumentStore
import FirestoreModel
import Pipelines

/// Writes a pipeline's rows to their documents, one commit for each; what was written before an error stays.
///
/// A row is written only over the document that it was made of. If the document has changed since
/// the pipeline read it, the pipeline runs again for that document alone, so that no write of
/// others is lost.
struct PipelineWriter {
  private let plan: StagePlan
  /// The version that the rows were read at.
  private let version: CommitVersion
  private let database: Database
  private let check: @Sendable () throws -> Void
  private var count: Int64 = 0

  /// Attempts to make a row again of a document that others keep changing.
  private static let attempts = 10

  init(
    _ run: PipelineRun,
    _ database: Database,
    check: @escaping @Sendable () throws -> Void
  ) {
    (plan, version) = (run.plan, run.version)
    self.database = database
    self.check = check
  }

  /// The result of a pipeline that writes.
  var summary: Row {
    Row(MapValue([MapValue.Entry(key: "documents_modified", value: .integer(count))]))
  }

  /// Writes one row; NOT_FOUND where its document never existed, ABORTED where others keep changing it.
  ///
  /// A document that was deleted in the meantime, or that the pipeline would no longer choose,
  /// stays as it is.
  mutating func write(_ row: Row) throws {
    guard let name = row.name, name.database == database.id else {
      throw ServiceError.invalidArgument(
        "A stage that writes needs the field __name__ in each row."
      )
    }
    var made = (row: row, version: version)
    for _ in 0..<Self.attempts {
      if try commit(made.row, to: name, readAt: made.version) {
        count += 1
        return
      }
      guard let again = plan.plan(forDocument: name.path) else { break }
      let run = try PipelineRun(
        again,
        PipelineOptions(),
        database: database,
        read: try database.beginRead(.latest),
        judge: nil,
        check: check
      )
      guard let row = try Self.row(of: run), row.name == name else { return }
      made = (row, run.version)
    }
    throw ServiceError(
      .aborted,
      """
      The document \(name.path.string) was changed while the pipeline ran. \(count) documents were written before it. \
      Run the pipeline again for the others.
      """
    )
  }

  /// Writes a row over the document as it was at a version; false where that has changed.
  private func commit(
    _ row: Row,
    to name: DocumentName,
    readAt version: CommitVersion
  ) throws -> Bool {
    let base = try database.get(name.path, at: .at(version))?.updateTime
    let precondition: Precondition? =
      base.map { .updateTime($0) } ?? (plan.isDeleting ? nil : .exists(true))
    let operation: Write.Operation =
      plan.isDeleting ? .delete : .update(try Self.fields(row, name), mask: nil)
    let write = Write(name: name, operation: operation, precondition: precondition)
    let result = BlockingResult<CommitOutcome>()
    database.commit(CommitProposal(writes: [write])) { result.set($0) }
    do {
      _ = try result.wait()
      return true
    } catch let error as ServiceError where base != nil && error.code == .failedPrecondition {
      guard try database.get(name.path)?.updateTime != base else { throw error }
      return false
    }
  }

  private static func row(of run: PipelineRun) throws -> Row? {
    while true {
      let chunk = try run.next(maxRows: 1)
      if let row = chunk.rows.first { return row }
      if chunk.isDone { return nil }
    }
  }

  private static func fields(_ row: Row, _ name: DocumentName) throws -> DocumentFields {
    try DocumentCodec.validate(DocumentFields(encoding: row.fields).bytes, name: name)
  }
}
