import Access
import BaseStatus
import DocumentCodec
import DocumentStore
import FirestoreModel
import FirestoreWire
import Pipelines

extension FirestoreService {
  func executePipeline(
    _ request: ExecutePipelineRequest,
    _ call: Call,
    _ respond: @escaping RespondStream
  ) throws {
    let permit = try permit(call, request.database)
    if let gate = permit.gate, !gate.mayAllowAnything { throw AccessControl.denied }
    let options = try PipelineOptions(request.options)
    let plan = try allowedPlan(of: request, permit, call)
    let consistency = try permit.consistency(request.consistency)
    let database = try database(of: permit, call)
    let check = check(call)
    beginRead(database, consistency, call, respond) { [self] read, respond in
      let first: @Sendable (PipelineRun) throws -> PipelineStream = { [self] run in
        let transaction = read.newTransaction
        let stream = PipelineStream(run, options, transaction, database, call: call, service: self)
        try stream.readFirst()
        return stream
      }
      if permit.gate == nil,
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
        try PipelineRun.begin(
          plan,
          options,
          database: database,
          read: read,
          judge: permit.rowJudge(database, isInTransaction: consistency.isTransaction),
          check: check,
          first: first
        )
      }
    }
  }

  /// The plan of a request that is allowed as far as its stages alone can tell.
  private func allowedPlan(
    of request: ExecutePipelineRequest,
    _ permit: Permit,
    _ call: Call
  ) throws -> StagePlan {
    let plan = try PipelineRun.compile(request.stages, in: request.database)
    if permit.gate != nil, plan.beginsWithLiterals { throw AccessControl.denied }
    guard plan.isWriting else { return plan }
    try permit.requireAdministrator(for: "Pipelines that write")
    guard permit.mayLock else { throw AccessControl.denied }
    noteWriting(plan, call)
    guard request.consistency == .latest else {
      throw ServiceError.invalidArgument(
        "A pipeline that writes can't run in a transaction or at a read time."
      )
    }
    return plan
  }

  /// Throws if the caller has gone, or the pipeline's time is over.
  private func check(_ call: Call) -> WorkCheck {
    let limit = longestPipeline
    let end = ContinuousClock.now + limit
    return {
      try call.checkWanted()
      guard ContinuousClock.now < end else {
        let seconds = limit.components.seconds
        throw ServiceError(.deadlineExceeded, "The pipeline took longer than \(seconds) seconds.")
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
