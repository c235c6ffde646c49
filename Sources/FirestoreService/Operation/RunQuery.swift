import DocumentStore
import FirestoreModel
import FirestoreWire

// RunQuery and ExecutePipeline.

extension FirestoreService {
  func runQuery(
    _ request: RunQueryRequest,
    _ call: Call,
    _ respond: @escaping RespondStream
  ) throws {
    try access.authorize(call.caller, .list(request.parent.database, request.query))
    let database = try databases.database(request.parent.database)
    let query = try request.query.normalized()
    let consistency = try Consistency(request.consistency)
    let cursor = try database.query(query, consistency: consistency)
    respond(
      .success(
        QueryStream(
          cursor,
          explain: request.explain,
          mask: request.query.projection,
          call: call,
          service: self
        )
      )
    )
  }

  /// Pipelines belong to the Enterprise edition; the answer is what a Standard edition database
  /// gives.
  func executePipeline(_ request: ExecutePipelineRequest, _ call: Call) throws {
    try access.authorize(call.caller, .metadata(request.database, method: "ExecutePipeline"))
    _ = try databases.database(request.database)
    throw FirestoreError(
      .failedPrecondition,
      """
      Pipeline Operations are only available for Firestore databases in Enterprise edition.

      This server answers as a Standard edition database does; use structured queries instead.
      """,
      reason: .init("PIPELINE_REQUIRES_ENTERPRISE_EDITION")
    )
  }
}
