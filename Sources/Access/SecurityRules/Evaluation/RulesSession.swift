import BaseText
import FirestoreModel

/// The rules over one request of a client: one cache of readings, one budget.
///
/// A session belongs to one thread. Each write of a commit is one `evaluate`; each has a budget of
/// evaluated nodes and of access calls of its own, and all share the budget of the whole.
package final class RulesSession {
  /// The way in which queries are proven.
  package enum Compatibility: Sendable {
    /// A query is not proven where a document could break the rules.
    case safe
    /// As Google's emulator: fields that no filter names count as missing.
    case emulator
  }

  let ruleset: CompiledRuleset
  let digests: any RulesDigests
  let compatibility: Compatibility
  /// Answers access calls instead of documents, in tests of rules.
  let mocks: RulesMocks?
  private let coverage: RulesCoverage?
  /// The counts of the evaluation that runs; a failed one counts nothing, since it is repeated.
  private var counted: [(node: Node, result: RulesCoverage.Tally.Result)] = []
  /// Set where a reading failed: the decision is void.
  private(set) var failure: (any Error)?
  /// The work left to the operation that runs.
  var work: WorkBudget
  /// True if the budget is that of a request that is decided on an event loop: where it is used up,
  /// nothing is decided.
  package let isBrief: Bool
  /// True if the last operation ended because it used up its work.
  package var isExhausted: Bool { work.left < 0 }
  private let dataSource: any RulesDataSource
  private let database: Text
  private let accessLimit: Int
  private var cache: [Access: RulesDocument?] = [:]
  private var documentsRead: [ResourcePath] = []
  private var operationAccesses = 0
  private var operationLimit = 0
  /// Shared with every `request` of this session.
  let timeUse = TimeUse()

  private struct Access: Hashable {
    let function: Builtin
    let path: ResourcePath
  }

  /// Begins a request.
  ///
  /// - Parameters:
  ///   - database: The database's id, `(default)` for Storage: no other can be read.
  ///   - isBrief: True if the work is bounded as on an event loop.
  ///   - isMultiple: True if the request names several documents: commits, batches, transactions.
  ///   - coverage: Counts the evaluations; nil leaves it to the ruleset's own.
  package init(
    ruleset: CompiledRuleset,
    database: Text,
    dataSource: any RulesDataSource,
    digests: any RulesDigests,
    isMultiple: Bool = false,
    isBrief: Bool = false,
    compatibility: Compatibility = .safe,
    coverage: RulesCoverage? = nil,
    mocks: RulesMocks? = nil
  ) {
    self.ruleset = ruleset
    self.isBrief = isBrief
    let brief = RulesLimits.stepsOfBriefRequest
    work = isBrief ? WorkBudget(ofOperation: brief, ofRequest: brief) : WorkBudget()
    self.database = database
    self.dataSource = dataSource
    self.digests = digests
    self.compatibility = compatibility
    self.coverage = coverage ?? ruleset.coverage
    self.mocks = mocks
    accessLimit = isMultiple ? RulesLimits.accessCallsOfBatch : RulesLimits.accessCalls
  }

  /// Decides on one operation on one document or object; lists of Storage too.
  ///
  /// - Parameter observing: True if the attempts report the value of every part of a condition;
  ///   such evaluations are not counted by coverage.
  package func evaluate(
    _ request: RulesRequest,
    observing: Bool = false
  ) throws -> RulesDecision {
    let object = RequestObject(request, path: request.path, query: nil, timeUse: timeUse)
    let resource: RulesValue = request.resource.map(RulesValue.map) ?? .null
    begin(limit: request.service == .storage ? 2 : RulesLimits.accessCalls)
    let isListOfObjects = request.service == .storage && request.method == .list
    guard !isListOfObjects || ruleset.version == .two else { return decision([]) }
    let evaluator = Evaluator(session: self, request: .map(RulesMap(object)), resource: resource)
    return try counting {
      try decide(request.service, request.method, evaluator, observing: observing) {
        $0.match(request.path)
      }
    }
  }

  /// Passes the counts of an evaluation to the coverage at its end.
  func counting(_ evaluation: () throws -> RulesDecision) throws -> RulesDecision {
    counted.removeAll()
    let decision = try evaluation()
    if let coverage, !counted.isEmpty { coverage.add(counted) }
    return decision
  }

  /// Starts an operation's budgets of access calls and of work.
  func begin(limit: Int) {
    operationAccesses = 0
    operationLimit = limit
    work.beginOperation()
  }

  /// Tries every allow statement that matches, until one allows.
  func decide(
    _ service: RulesService,
    _ method: RulesMethod,
    _ evaluator: Evaluator,
    observing: Bool,
    matching match: (PathPattern) -> PathMatch?
  ) throws -> RulesDecision {
    var attempts: [RulesAttempt] = []
    let bit = method.bit
    for block in ruleset.matches(of: service) where block.methods & bit != 0 {
      guard let match = match(block.pattern) else { continue }
      evaluator.match = match
      for allow in block.allows where allow.methods & bit != 0 {
        let attempt = try attempt(allow, method, evaluator, observing: observing)
        attempts.append(attempt)
        if case .allowed = attempt.outcome { return decision(attempts) }
      }
    }
    return decision(attempts)
  }

  private func decision(_ attempts: [RulesAttempt]) -> RulesDecision {
    var isAllowed = false
    if case .allowed = attempts.last?.outcome { isAllowed = true }
    return RulesDecision(
      isAllowed: isAllowed,
      attempts: attempts,
      documentsRead: documentsRead,
      usesTime: timeUse.isSeen
    )
  }

  private func attempt(
    _ allow: CompiledAllow,
    _ method: RulesMethod,
    _ evaluator: Evaluator,
    observing: Bool
  ) throws -> RulesAttempt {
    let observer = RulesObserver(
      ruleset.source,
      isExplaining: observing,
      // An observer of a request evaluates it a second time; only tests of rules, which mock, do
      // both at once.
      isCounting: coverage != nil && (!observing || mocks != nil)
    )
    evaluator.observer = observer
    let outcome = evaluator.outcome(of: allow.condition)
    if let failure { throw failure }
    if let observer { counted += observer.counted }
    return RulesAttempt(
      method: method,
      range: allow.range,
      outcome: outcome,
      observations: observer?.observations ?? [],
      source: ruleset.source
    )
  }

  /// Reads for an access function; repeated readings are free.
  func document(_ function: Builtin, _ value: RulesValue) throws(AccessError) -> RulesDocument? {
    let path = try resourcePath(value)
    let access = Access(function: counted(function), path: path)
    if let known = cache[access] { return known }
    guard operationAccesses < operationLimit, cache.count < accessLimit || isUncounted else {
      throw AccessError(message: "The maximum number of document access calls is used up.")
    }
    operationAccesses += 1
    let document: RulesDocument?
    do {
      let isAfter = function == .getAfter || function == .existsAfter
      document = try isAfter ? dataSource.documentAfter(at: path) : dataSource.document(at: path)
    } catch {
      failure = error
      throw AccessError(message: "A document could not be read.")
    }
    cache[access] = .some(document)
    if !documentsRead.contains(path) { documentsRead.append(path) }
    return document
  }

  /// Queries have the larger budget, set by their operation's limit alone.
  private var isUncounted: Bool {
    operationLimit > accessLimit && cache.count < operationLimit
  }

  /// Storage counts a document once, however it is read.
  private func counted(_ function: Builtin) -> Builtin {
    function == .firestoreExists ? .firestoreGet : function
  }

  private func resourcePath(_ value: RulesValue) throws(AccessError) -> ResourcePath {
    guard case .path(let path) = value, let segments = path.plain else {
      throw AccessError(
        message: "Type error. Received: [\(value.typeName)] Expected: [path]."
      )
    }
    let document = ResourcePath(Array(segments.dropFirst(3)))
    guard segments.count > 3, segments[0] == "databases", segments[1] == database,
      segments[2] == "documents", document.isDocument, !segments.contains(where: \.isEmpty)
    else {
      throw AccessError(message: "Invalid document path: \(path.string).")
    }
    return document
  }
}

/// The error of a document that a rule could not read.
struct AccessError: Error {
  let message: String
}
