import Access
import BaseStatus
import DocumentCodec
import DocumentStore
import FirestoreModel

/// An input that the rules are asked about before any of it is shown.
protocol JudgedSource: AnyObject {
  /// Returns true if the rules allow the input; false if the evaluation must continue. Throws where
  /// they don't.
  func allow() throws -> Bool
}

/// Rows that are known: literals, or nothing at all.
final class ValuesSource: RowOperator {
  let node: PlanNode
  private let resources: Resources
  private let make: (Int) throws -> Row?
  private var position = 0

  /// - Parameter make: The row of a number; nil behind the last.
  init(_ count: Int, _ resources: Resources, _ make: @escaping (Int) throws -> Row?) {
    node = PlanNode("Values", "\(count)")
    self.resources = resources
    self.make = make
  }

  func next() throws -> Pull {
    guard let row = try make(position) else { return .end }
    try resources.step()
    position += 1
    node.rows += 1
    return .row(row)
  }
}

/// Documents by their names.
final class LookupSource: RowOperator, JudgedSource {
  private static let batch = 300

  let node: PlanNode
  private let store: PipelineStore
  private let variables: [String: Value?]
  private var rest: ArraySlice<ResourcePath>
  private var found: [DocumentRecord] = []
  private let resources: Resources
  private var isJudged = false

  init(
    _ paths: [ResourcePath],
    _ store: PipelineStore,
    _ resources: Resources,
    variables: [String: Value?]
  ) {
    node = PlanNode("LookupById", "\(paths.count)")
    rest = paths[...]
    self.store = store
    self.resources = resources
    self.variables = variables
  }

  func next() throws -> Pull {
    _ = try allow()
    while found.isEmpty {
      if rest.isEmpty { return .end }
      if resources.isPaused { return .paused }
      found = try store.documents(rest.prefix(Self.batch)).reversed()
      rest = rest.dropFirst(Self.batch)
    }
    guard let record = found.popLast() else { return .end }
    try resources.step()
    node.rows += 1
    return .row(Row(record, variables: variables))
  }

  /// All documents are judged before the first is shown to the pipeline.
  func allow() throws -> Bool {
    guard !isJudged else { return true }
    var unjudged = rest
    while !unjudged.isEmpty {
      try store.requireGet(unjudged.prefix(Self.batch))
      unjudged = unjudged.dropFirst(Self.batch)
    }
    isJudged = true
    return true
  }
}

/// The documents of a query, after the rules have allowed what it ranges over.
final class QuerySource: RowOperator, JudgedSource {
  private static let batch = 300
  /// The steps that one candidate of a query counts for, and the most candidates between two pauses.
  private static let slice = 2_000

  let node: PlanNode
  private let store: PipelineStore
  private let resources: Resources
  private let variables: [String: Value?]
  private let plan: InputPlan
  private var judging: QueryCursor?
  private var isAllowed = false
  private var found: ArraySlice<DocumentRecord> = []
  private var isDone = false
  /// The number of documents that the next read asks for: little at first, because the pipeline may
  /// want few.
  private var wanted = 32

  init(
    _ plan: InputPlan,
    _ store: PipelineStore,
    _ resources: Resources,
    variables: [String: Value?]
  ) {
    node = PlanNode(plan.nodeName, plan.detail)
    self.plan = plan
    self.store = store
    self.resources = resources
    self.variables = variables
  }

  func next() throws -> Pull {
    if !isAllowed {
      guard try allow() else { return .paused }
    }
    while true {
      if let record = found.popFirst() {
        try resources.step()
        node.rows += 1
        return .row(Row(record, variables: variables))
      }
      if isDone { return .end }
      if resources.isPaused { return .paused }
      try resources.step()
      let chunk = try plan.cursor.next(
        maxDocuments: wanted,
        slice: Self.slice,
        covered: plan.covered,
        in: store.lent
      )
      wanted = min(Self.batch, wanted * 2)
      found = chunk.documents[...]
      isDone = chunk.isDone
    }
  }

  /// Lends the fields of the documents to the body instead of giving rows.
  ///
  /// Returns true behind the last document, false where the slice of work is used up. Not to be mixed with `next`.
  func forEachFields(_ body: (FieldsView) throws -> Void) throws -> Bool {
    guard try allow() else { return false }
    while !isDone {
      if resources.isPaused { return false }
      try resources.step()
      let part = try plan.cursor.nextFields(
        slice: Self.slice,
        covered: plan.covered,
        in: store.lent
      )
      try part.forEach { fields in
        try resources.step()
        node.rows += 1
        try body(fields)
      }
      isDone = part.isDone
    }
    return true
  }

  /// Asks for a proof first, and judges all documents of the scope where there is none.
  func allow() throws -> Bool {
    if isAllowed { return true }
    if judging == nil {
      if try store.isAllowed(plan.scope, plan.proofs) {
        isAllowed = true
        return true
      }
      judging = try store.everything(in: plan.scope)
    }
    while let cursor = judging {
      let chunk = try cursor.next(maxDocuments: Self.batch, slice: Self.slice, in: store.lent)
      try store.requireList(chunk.documents)
      for _ in 0...chunk.documents.count { try resources.step() }
      if chunk.isDone {
        judging = nil
        store.noteAllowed(plan.scope)
      } else if resources.isPaused {
        return false
      }
    }
    isAllowed = true
    return true
  }
}
