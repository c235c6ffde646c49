import DocumentStore
import FirestoreModel

/// Reads ahead what the sub-pipelines of the next stage look for, for a batch of rows at a time.
///
/// The rows pass unchanged and in their order. Documents that were read are in the request's `JoinTables`.
final class JoinOperator: RowOperator {
  private static let fewestRows = 16
  private static let mostBytes = 1 << 20

  let node: PlanNode
  private let input: any RowOperator
  private let reader: JoinReader
  private let joins: [(table: JoinTable, node: PlanNode)]
  private let evaluator: Evaluator
  private var buffer: [Row] = []
  private var position = 0
  private var isDone = false
  /// The failure of the input behind the rows that it gave.
  private var failure: (any Error)?
  /// The number of rows of the next batch: small at first, because the pipeline may want few.
  private var wanted = fewestRows
  /// The most rows of a batch; fewer where the documents of a batch took all room.
  private var mostRows = 256

  init(_ input: any RowOperator, _ tables: [JoinTable], _ reader: JoinReader) {
    joins = tables.map { ($0, PlanNode($0.key.nodeName, $0.key.text)) }
    node = PlanNode("NestedLoopJoin", "in batches", [input.node] + joins.map(\.node))
    self.input = input
    self.reader = reader
    evaluator = reader.evaluator
  }

  func next() throws -> Pull {
    while position >= buffer.count {
      buffer = []
      position = 0
      if let failure { throw failure }
      if isDone { return .end }
      guard try fill() else { return .paused }
      for (table, node) in joins { try readAhead(table, node) }
    }
    defer { position += 1 }
    node.rows += 1
    let row = buffer[position]
    buffer[position] = Row(MapValue())
    return .row(row)
  }

  /// Takes a batch; false where the input paused before it had any.
  private func fill() throws -> Bool {
    var bytes = 0
    while buffer.count < wanted, bytes < Self.mostBytes {
      do {
        switch try input.next() {
        case .row(let row):
          try evaluator.resources.step()
          bytes += row.size(limit: Self.mostBytes)
          buffer.append(row)
        case .paused: return !buffer.isEmpty
        case .end:
          isDone = true
          return true
        }
      } catch {
        failure = error
        return true
      }
    }
    wanted = min(mostRows, wanted * 2)
    return true
  }

  private func readAhead(_ table: JoinTable, _ node: PlanNode) throws {
    var values: [JoinValue] = []
    values.reserveCapacity(buffer.count)
    var seen = Set<JoinValue>(minimumCapacity: buffer.count)
    for row in buffer {
      guard let value = try table.key.value(of: row, evaluator) else { continue }
      let sought = JoinValue(value)
      if seen.insert(sought).inserted { values.append(sought) }
    }
    let isAllRead = try evaluator.resources.withoutPauses {
      try reader.read(values, into: table, node)
    }
    if !isAllRead { mostRows = max(Self.fewestRows, mostRows / 2) }
  }
}

extension JoinKey {
  /// The value that an outer row looks for, before the stage; nil where it is absent or can't be computed.
  fileprivate func value(of row: Row, _ evaluator: Evaluator) throws -> Value? {
    switch source {
    case .scope: try evaluator.fixedValue(outer, row.variables)
    case .children: row.name.map(Value.reference)
    }
  }
}

extension OperatorBuilder {
  /// Rows whose sub-pipelines in the expressions find what they look for read ahead, where they look by a key.
  func joined(_ rows: any RowOperator, _ expressions: [Expression]) throws -> any RowOperator {
    guard usesIndexes else { return rows }
    var tables: [JoinTable] = []
    let reader = joinReader
    for plan in expressions.flatMap(\.subPipelines) {
      if let known = evaluator.joins.known(plan) {
        tables.append(known)
        continue
      }
      if let scope = plan.namedScope {
        _ = try InputPlanner(store, usesIndexes: usesIndexes, plan.index, of: scope)
      }
      guard let key = try JoinKey.key(of: plan, prefix: { try reader.shape(plan.stages, in: $0) })
      else { continue }
      if case .scope(let scope, _) = key.source, try !store.allowsWhole(scope) { continue }
      tables.append(evaluator.joins.table(of: plan, key))
    }
    guard !tables.isEmpty else { return rows }
    return observed(JoinOperator(rows, tables, reader))
  }

  private var joinReader: JoinReader {
    JoinReader(
      store: store,
      evaluator: evaluator,
      planner: InputPlanner(store: store, usesIndexes: usesIndexes)
    )
  }

  /// The documents that a join has read for an outer row; nil where the sub-pipeline has to read them itself.
  func documentsRead(ahead plan: StagePlan, for outer: Row) throws -> [DocumentRecord]? {
    guard let table = evaluator.joins.known(plan), !table.isGivenUp else { return nil }
    if case .children = table.key.source {
      return outer.name.flatMap { table.documents[JoinValue(.reference($0))] }
    }
    let value: JoinValue
    do {
      // It reads variables alone.
      value = JoinValue(try evaluator.value(table.key.outer, outer))
    } catch is ExpressionFailure {
      return nil
    }
    if value.value == nil, table.documents[value] == nil {
      try joinReader.readAbsent(into: table)
    }
    return table.documents[value]
  }
}
