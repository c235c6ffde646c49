import BaseStatus
import FirestoreModel
import KeyValueStore

/// A commit on its way to the writer.
struct PendingCommit: Sendable {
  let database: Database
  let request: CommitProposal
  /// The reads of its transaction; nil without one.
  let reads: Transaction.Reads?
  /// The preparation done on its caller's thread.
  let prepared: PreparedCommit
  let completion: @Sendable (Result<CommitOutcome, any Error>) -> Void
}

/// The part of a commit that is prepared before its group.
struct PreparedCommit: Sendable {
  /// Nil leaves planning to the group.
  var plan: CommitPlan?
  /// The request time that the judge used; nil without a judge.
  var requestTime: Timestamp?
  /// The reads that the permission depends on, all made after `basis`.
  var dependencies: [ReadDependency] = []
  /// The moment at which the documents were read; nil if none were.
  var basis: RecentWrites.Moment?

  /// A commit that needs no permission, or is left to the group.
  init(plan: CommitPlan? = nil) {
    self.plan = plan
    basis = plan?.basis
  }

  /// A commit that was allowed by what was read after that moment.
  init(
    _ permission: CommitJudgement.Permission,
    requestTime: Timestamp,
    basis: RecentWrites.Moment
  ) {
    plan = permission.plan
    plan?.basis = basis
    self.requestTime = requestTime
    dependencies = permission.dependencies
    self.basis = basis
  }
}

/// Decides inside a group whether a commit is applied, and what it comes to.
struct CommitResolver {
  let group: any KeyValueGroup
  let recentWrites: RecentWrites
  let documents: DocumentCache

  /// Checks what the commit rests on and writes it, or finds that it was written before.
  ///
  /// Throws `ServiceError` or `StaleReadSet`, before anything is written, where the commit fails;
  /// anything else where the group does.
  func resolve(_ pending: PendingCommit) throws -> Resolution {
    let version: CommitVersion
    let plan: CommitPlan
    do {
      if let outcome = try keptOutcome(of: pending) { return .repeated(outcome) }
      try check(pending)
      version = CommitVersion(microseconds: try group.allocateVersion())
      plan = try validPlan(of: pending, version)
      try UniqueCheck(group: group).check(plan)
    } catch let error as KeyValueError where error.code == .corruption {
      // One damaged record must not keep all others from committing.
      pending.database.configuration.noteDamage(error)
      throw ServiceError.storage(error)
    }
    let applier = CommitApplier(database: pending.database, group: group, version: version)
    let hasChanges = try applier.apply(plan)
    for document in plan.documents where document.changeKind != nil {
      recentWrites.note(document.key.bytes)
      documents.remove(document.key.bytes)
    }
    let commit = ResolvedCommit(
      version: version,
      plan: plan,
      hasChanges: hasChanges,
      wantsDocuments: pending.request.wantsDocuments
    )
    let database = pending.database
    if hasChanges, let follower = database.configuration.commitFollower,
      follower.follows(database.id)
    {
      let published = commit.published(in: database)
      try follower.commitApplied(published, by: pending.request.author, in: group)
    }
    if let key = pending.request.idempotencyKey {
      try KeptAnswer(commit.outcome).keep(key, pending.database.incarnation, in: group)
    }
    return .applied(commit)
  }

  /// Returns the outcome of the commit if it was sent before, otherwise nil.
  private func keptOutcome(of pending: PendingCommit) throws -> CommitOutcome? {
    let database = pending.database
    guard let key = pending.request.idempotencyKey, !database.isRetired,
      let kept = try KeptAnswer.read(key, database.incarnation, in: group)
    else { return nil }
    guard kept.outcome.results.count == pending.request.writes.count else {
      throw ServiceError.invalidArgument(
        "The idempotency key belongs to a commit with other writes."
      )
    }
    return kept.outcome
  }

  /// Throws if data read by the transaction or for the decision has changed.
  private func check(_ pending: PendingCommit) throws {
    let database = pending.database
    guard !database.isRetired else { throw ServiceError.unknownDatabase(database.id) }
    try database.checkFill(pending.request.fill, in: group)
    if let reads = pending.reads {
      let validator = ReadValidator(database: database, reader: group)
      guard try validator.holds(reads) else { throw ServiceError.contention }
    }
    for dependency in pending.request.readSet {
      let key = DocumentKey(dependency.path, in: database.incarnation)
      guard try version(of: key) == dependency.version else { throw StaleReadSet() }
    }
    for dependency in pending.prepared.dependencies {
      let key = DocumentKey(dependency.path, in: database.incarnation)
      if isUntouched(key, since: pending.prepared.basis) { continue }
      guard try version(of: key) == dependency.version else { throw StaleReadSet() }
    }
  }

  /// The preparation if it still holds, else a new plan.
  private func validPlan(
    of pending: PendingCommit,
    _ version: CommitVersion
  ) throws -> CommitPlan {
    let indexes = pending.database.indexes.current
    if let plan = pending.prepared.plan, try holds(plan, indexes, version) { return plan }
    let latest = version.timestamp.truncatedToMilliseconds
    if let judge = pending.request.judge, pending.request.isJudgedInGroup,
      let plan = try judgedPlan(of: pending, judge, time: latest)
    {
      return plan
    }
    let planner = CommitPlanner(
      incarnation: pending.database.incarnation,
      indexes: indexes,
      requestTime: { min(pending.request.requestTime ?? latest, latest) },
      read: { try group.get($0) }
    )
    return try planner.plan(pending.request.writes)
  }

  /// Asks the judge of a commit here, where nothing changes any more; nil where the writes themselves
  /// are refused.
  private func judgedPlan(
    of pending: PendingCommit,
    _ judge: CommitJudge,
    time: Timestamp
  ) throws -> CommitPlan? {
    let judgement = CommitJudgement(
      incarnation: pending.database.incarnation,
      indexes: pending.database.indexes.current,
      requestTime: time,
      read: { try group.get($0) }
    )
    do {
      return try judgement.decide(pending.request.writes, judge).plan
    } catch let denial as CommitJudgement.Denial {
      throw denial.reason
    }
  }

  private func holds(
    _ plan: CommitPlan,
    _ indexes: IndexSet,
    _ version: CommitVersion
  ) throws -> Bool {
    guard plan.indexGeneration == indexes.generation, !plan.missedEntries else { return false }
    if let time = plan.requestTime, time > version.timestamp { return false }
    for document in plan.documents {
      if isUntouched(document.key, since: plan.basis) { continue }
      let base = document.base?.updateTime ?? .zero
      guard try self.version(of: document.key) == base else { return false }
    }
    return true
  }

  private func isUntouched(_ key: DocumentKey, since moment: RecentWrites.Moment?) -> Bool {
    moment.map { recentWrites.isUntouched(key.bytes, since: $0) } ?? false
  }

  private func version(of key: DocumentKey) throws -> CommitVersion {
    try group.get(key.bytes, as: .documentVersion) ?? .zero
  }
}

/// The result of resolving a commit that is not refused, inside a group.
enum Resolution: Sendable {
  case applied(ResolvedCommit)
  /// It was applied before; nothing is written.
  case repeated(CommitOutcome)

  /// The outcome that the commit's author receives.
  var outcome: CommitOutcome {
    switch self {
    case .applied(let commit): commit.outcome
    case .repeated(let outcome): outcome
    }
  }

  /// The changes that the group applied; nil if there were none.
  var applied: ResolvedCommit? {
    if case .applied(let commit) = self { commit } else { nil }
  }
}

/// A commit that is made as soon as its group is durable.
struct ResolvedCommit: Sendable {
  let version: CommitVersion
  let plan: CommitPlan
  let hasChanges: Bool
  let wantsDocuments: Bool

  /// The outcome that its author receives.
  var outcome: CommitOutcome {
    CommitOutcome(
      version: version,
      results: plan.results.map { $0.result(at: version) },
      documents: wantsDocuments ? plan.documents.map { $0.record(at: version) } : []
    )
  }

  /// Returns the commit as observers receive it.
  func published(in database: Database) -> PublishedCommit {
    let changes = plan.documents.compactMap { document -> PublishedCommit.Change? in
      guard document.changeKind != nil else { return nil }
      return PublishedCommit.Change(
        path: document.path,
        old: document.base,
        new: document.record(at: version)
      )
    }
    return PublishedCommit(
      database: database.id,
      incarnation: database.incarnation,
      version: version,
      changes: changes
    )
  }
}
