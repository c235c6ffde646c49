import Access
import BaseStatus
import DocumentStore
import FirestoreModel
import PipelineModel

/// The options of a pipeline's run in a request.
package struct PipelineOptions: Sendable {
  /// The request of `explain_options`.
  package enum Explain: Sendable {
    case none
    /// The plan alone.
    case plan
    /// The results, and then what the plan took.
    case analyze
  }

  /// The plan that the request wants to see, if any.
  package private(set) var explain = Explain.none
  /// True if the plan is wanted as JSON.
  package private(set) var isJSON = false
  /// The bytes that rows may take: those of `memory_limit`, and never more than the standard.
  package private(set) var memoryLimit = Resources.standardMemory
  /// True if indexes may be used; false only in tests.
  package var usesIndexes = true

  /// The standard options.
  package init() {}

  /// Reads a pipeline's options; INVALID_ARGUMENT for those that are unknown or wrong.
  package init(_ options: [String: PipelineOperand]) throws(ServiceError) {
    for (name, operand) in options.sorted(by: { $0.key < $1.key }) {
      switch (name, operand) {
      case ("index_mode", .constant(.string("recommended"))): continue
      case ("memory_limit", .constant(.integer(let bytes))) where bytes > 0:
        memoryLimit = min(Int(bytes), Resources.standardMemory)
      case ("explain_options", .constant(.map(let map))): try readExplain(map)
      case ("index_mode", _), ("memory_limit", _), ("explain_options", _):
        throw .invalidArgument("The pipeline's option \"\(name)\" has a wrong value.")
      default: throw .invalidArgument("Unknown option \"\(name)\" of the pipeline.")
      }
    }
  }

  private mutating func readExplain(_ map: MapValue) throws(ServiceError) {
    for entry in map.entries {
      switch (entry.key, entry.value) {
      case ("mode", .string("execute")): explain = .none
      case ("mode", .string("explain")): explain = .plan
      case ("mode", .string("analyze")): explain = .analyze
      case ("output_format", .string("text")): isJSON = false
      case ("output_format", .string("json")): isJSON = true
      default:
        throw .invalidArgument("\"\(entry.key.string)\" of explain_options is unknown or wrong.")
      }
    }
  }
}

/// A part of a pipeline's result.
package struct PipelineChunk: Sendable {
  /// Rows in their order.
  package var rows: [Row] = []
  /// True if nothing follows.
  package var isDone = false
}

/// A pipeline that was begun in memory reads more than memory should be asked for.
struct NeedsEngine: Error {}

/// A pipeline that is being answered, part by part, all at one version.
///
/// One call at a time; calls block.
///
/// `@unchecked Sendable`: the owner of a run calls it under a lock, so that one thread at a time is
/// in it.
package final class PipelineRun: @unchecked Sendable {
  /// The stages of a request: each is a frame or two on the stack.
  private static let mostStages = 1_024
  /// The steps of one job on a thread for scans.
  package static let longSlice = 20_000
  /// The steps of a run's first job, on a thread for point reads.
  package static let shortSlice = 4_000

  /// The version that the pipeline reads at.
  package let version: CommitVersion
  /// The pipeline's stages.
  package let plan: StagePlan
  private let rows: any RowOperator
  private let store: PipelineStore
  private let resources: Resources
  private let options: PipelineOptions
  private let hidesCounts: Bool
  private var delivered = 0

  /// Checks a pipeline's stages; INVALID_ARGUMENT where they are none.
  package static func compile(
    _ stages: [PipelineStage],
    in database: DatabaseID
  ) throws(ServiceError) -> StagePlan {
    guard stages.reduce(0, { $0 + $1.stageCount }) <= mostStages else {
      throw .invalidArgument(
        "The pipeline has more than \(mostStages) stages, those of inner pipelines included."
      )
    }
    return try StageCompiler(ExpressionCompiler(database: database))
      .compile(stages, isNested: false)
  }

  /// Begins to run a plan, and lends the run for its first slice.
  ///
  /// The plan is made and the slice read from one view, unless sub-pipelines could keep it open for long: opening one costs
  /// as much as reading a few documents.
  package static func begin<R>(
    _ plan: StagePlan,
    _ options: PipelineOptions,
    database: Database,
    read: ConsistentRead,
    judge: RowJudge?,
    check: @escaping @Sendable () throws -> Void,
    first: (PipelineRun) throws -> R
  ) throws -> R {
    let store = PipelineStore(database, read, judge)
    guard !plan.hasSubPipelines else {
      return try first(try PipelineRun(plan, options, store, check: check))
    }
    return try read.view { view in
      try store.holding(view) { try first(try PipelineRun(plan, options, store, check: check)) }
    }
  }

  /// Begins to run a plan of which memory alone can tell the rows in a few steps; otherwise nil, and nothing has happened.
  ///
  /// For threads that must not block, and callers to whom no rules apply.
  package static func beginInMemory<R>(
    _ plan: StagePlan,
    _ options: PipelineOptions,
    database: Database,
    read: ConsistentRead,
    check: @escaping @Sendable () throws -> Void,
    first: (PipelineRun) throws -> R
  ) throws -> R? {
    guard plan.isSmall, options.explain == .none, options.usesIndexes else { return nil }
    let store = PipelineStore(database, read, nil)
    do {
      return try read.viewInMemory(steps: QueryCursor.stepsInMemory) { view in
        try store.holding(view, inMemory: true) {
          try first(try PipelineRun(plan, options, store, check: check))
        }
      }
    } catch is NeedsEngine {
      return nil
    }
  }

  /// Begins to run a plan.
  ///
  /// - Parameters:
  ///   - judge: Asked for every document before the pipeline sees it; nil where no rules apply.
  ///   - check: Called now and then; throws if no caller waits any more.
  ///   - clock: The time since any fixed instant, for `explain`; the monotonic clock where there is none.
  package convenience init(
    _ plan: StagePlan,
    _ options: PipelineOptions,
    database: Database,
    read: ConsistentRead,
    judge: RowJudge?,
    check: @escaping @Sendable () throws -> Void,
    clock: (() -> Duration)? = nil
  ) throws {
    let store = PipelineStore(database, read, judge)
    try self.init(plan, options, store, check: check, clock: clock)
  }

  private init(
    _ plan: StagePlan,
    _ options: PipelineOptions,
    _ store: PipelineStore,
    check: @escaping @Sendable () throws -> Void,
    clock: (() -> Duration)? = nil
  ) throws {
    let resources = Resources(memoryLimit: options.memoryLimit, check: check, clock: clock)
    self.store = store
    version = try store.version()
    let usesIndexes = options.usesIndexes
    let evaluator = Evaluator(now: version.timestamp, resources: resources) {
      plan,
      row,
      evaluator in
      let builder = OperatorBuilder(store: store, evaluator: evaluator, usesIndexes: usesIndexes)
      return try builder.gathered(plan, row)
    }
    var builder = OperatorBuilder(store: store, evaluator: evaluator, usesIndexes: usesIndexes)
    builder.isObserved = options.explain == .analyze && !store.isJudged
    builder.isShown = options.explain != .none
    rows = try builder.build(plan, outer: nil)
    self.plan = plan
    self.resources = resources
    self.options = options
    hidesCounts = store.isJudged
  }

  /// About the bytes that the run keeps.
  package var heldBytes: Int { resources.memory }

  /// The next rows: fewer than asked for, even none, where the slice is used up.
  package func next(
    maxRows: Int = 300,
    maxBytes: Int = 1 << 20,
    slice: Int = PipelineRun.longSlice
  ) throws -> PipelineChunk {
    do {
      resources.beginSlice(slice)
      var chunk = PipelineChunk()
      guard try store.allowInputs() else { return chunk }
      var bytes = 0
      while chunk.rows.count < maxRows, bytes < maxBytes {
        switch try rows.next() {
        case .row(let row):
          let size = row.size(limit: resources.memoryLimit)
          guard size <= resources.memoryLimit else { try resources.take(size); continue }
          bytes += size
          chunk.rows.append(row)
        case .paused: return chunk
        case .end:
          chunk.isDone = true
          delivered += chunk.rows.count
          return chunk
        }
      }
      delivered += chunk.rows.count
      return chunk
    } catch let failure as ExpressionFailure {
      throw ServiceError.invalidArgument(failure.message)
    }
  }

  /// Evaluates the rules for all inputs, for a caller who only wants to see the plan; false if that
  /// must continue.
  package func authorize(slice: Int = PipelineRun.longSlice) throws -> Bool {
    resources.beginSlice(slice)
    return try store.allowInputs()
  }

  /// The plan as `explain` shows it, with what it took where it ran.
  package func explanation(isFinished: Bool) -> String {
    Explanation(
      root: rows.node,
      counts: isFinished && !hidesCounts,
      memory: resources.mostMemory,
      isJSON: options.isJSON
    ).text
  }
}
