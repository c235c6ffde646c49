import BaseStatus
import FirestoreModel

/// Plans a commit and has its judge decide on the plan.
struct CommitJudgement {
  /// The reason for the denial of a commit.
  struct Denial: Error {
    let reason: any Error
    /// True if the judge looked at several documents, which may have been read at different
    /// moments.
    let isOfSeveralDocuments: Bool
  }

  /// A commit that is allowed.
  struct Permission {
    /// Nil where the writes themselves are refused, which is for the group to say.
    let plan: CommitPlan?
    /// The documents and ranges that the permission depends on.
    let dependencies: [ReadDependency]
  }

  let incarnation: Incarnation
  let indexes: IndexSet
  let requestTime: Timestamp
  let read: ([UInt8]) throws -> [UInt8]?
  /// True if `read` knows only what memory holds.
  var isInMemory = false

  /// Plans the writes and calls the judge, also for writes that will be refused: a caller who may
  /// not write does not learn why the write would have failed.
  ///
  /// Throws `Denial`, or the store's error.
  func decide(_ writes: [Write], _ judge: CommitJudge) throws -> Permission {
    do {
      let plan = try planner(.judgedCommit).plan(writes)
      return Permission(plan: plan, dependencies: try ask(judge, writes, plan))
    } catch is ServiceError {
      let preview = try planner(.preview).plan(writes)
      return Permission(plan: nil, dependencies: try ask(judge, writes, preview))
    }
  }

  private func ask(
    _ judge: CommitJudge,
    _ writes: [Write],
    _ plan: CommitPlan
  ) throws -> [ReadDependency] {
    let preview = CommitPreview(
      writes,
      plan,
      requestTime: requestTime,
      incarnation: incarnation,
      isInMemory: isInMemory,
      read: read
    )
    do {
      try judge(preview)
    } catch {
      throw Denial(reason: error, isOfSeveralDocuments: preview.isOfSeveralDocuments)
    }
    return preview.dependencies
  }

  private func planner(_ purpose: CommitPlanner.Purpose) -> CommitPlanner {
    CommitPlanner(
      incarnation: incarnation,
      indexes: indexes,
      requestTime: { requestTime },
      read: read,
      purpose: purpose
    )
  }
}
