import Access
import BaseStatus
import DocumentCodec
import DocumentStore
import FirestoreModel
import FirestoreWire
import Pipelines

extension FirestoreService {
  /// Google's limit on a pipeline's time.
  private static let longestPipeline = Duration.seconds(60)

  func executePipeline(
    _ request: ExecutePipelineRequest,
    _ call: Call,
    _ respond: @escaping RespondStream
  ) throws {
    let permit = try permit(call, request.database)
    if let gate = permit.gate, !gate.mayAllowAnything { throw AccessControl.denied }
    let options = try PipelineOptions(request.options)
    let plan = try PipelineRun.compile(request.stages, in: request.database)
    if permit.gate != nil, plan.beginsWithLiterals { throw AccessControl.denied }
    if plan.isWriting {
      try permit.requireAdministrator(for: "Pipelines that write")
      guard permit.mayLock else { throw AccessControl.denied }
      noteWriting(plan, call)
      guard request.consistency == .latest else {
        throw ServiceError.invalidArgument(
          "A pipeline that writes can't run in a transaction or at a read time."
        )
      }
    }
    let start = PipelineStart(
      plan: plan,
      options: options,
      permit: permit,
      consistency: try permit.consistency(request.consistency),
      database: try database(of: permit, call)
    )
    beginRead(start.database, start.consistency, call, respond) { [self] read in
      try begin(start, read, call, respond)
    }
  }

  /// A pipeline that is allowed, and the database that it reads.
  private struct PipelineStart: Sendable {
    let plan: StagePlan
    let options: PipelineOptions
    let permit: Permit
    let consistency: Consistency
    let database: Database
  }

  /// Runs the first slice: at once where memory alone can tell the few rows that are wanted, otherwise on an engine thread.
  private func begin(
    _ start: PipelineStart,
    _ read: ConsistentRead,
    _ call: Call,
    _ respond: @escaping RespondStream
  ) throws {
    let (plan, options, database) = (start.plan, start.options, start.database)
    let end = ContinuousClock.now + Self.longestPipeline
    let check: WorkCheck = {
      try call.checkWanted()
      guard ContinuousClock.now < end else {
        throw ServiceError(.deadlineExceeded, "The pipeline took longer than 60 seconds.")
      }
    }
    let first: @Sendable (PipelineRun) throws -> PipelineStream = { [self] run in
      let transaction = read.newTransaction
      let stream = PipelineStream(run, options, transaction, database, call: call, service: self)
      try stream.readFirst()
      return stream
    }
    if start.permit.gate == nil,
      let stream = try PipelineRun.beginInMemory(
        plan,
        options,
        database: database,
        read: read,
        check: check,
        first: first
      )
    {
      return respond(.success(stream))
    }
    try onEngine(call, respond) {
      do {
        return try PipelineRun.begin(
          plan,
          options,
          database: database,
          read: read,
          judge: start.permit.rowJudge(
            database,
            isInTransaction: start.consistency.isTransaction
          ),
          check: check,
          first: first
        )
      } catch {
        if let transaction = read.newTransaction { try? database.rollback(transaction) }
        throw error
      }
    }
  }
}

extension FirestoreService {
  /// Notes for the audit trail that an administrator's pipeline writes.
  private func noteWriting(_ plan: StagePlan, _ call: Call) {
    guard let actor = call.context.actor, actor.administrator != nil else { return }
    var subjects = CallSubjects()
    subjects.append("\(plan.isDeleting ? "delete" : "update") by a pipeline")
    actor.note(subjects: subjects)
  }
}

extension PipelineResult {
  /// A row as it is sent.
  init(_ row: Row) {
    switch row.content {
    case .document(let record): self = .document(record)
    case .fields(let fields):
      self = .row(
        fields,
        name: row.name,
        createTime: row.createTime,
        updateTime: row.updateTime
      )
    }
  }
}
