import DocumentStore
import FirestoreModel

/// Reads the documents that a batch of outer rows looks for: by name, by an index, or in one scan.
struct JoinReader {
  private static let lookups = 300
  private static let slice = 2_000

  let store: PipelineStore
  let evaluator: Evaluator
  let planner: InputPlanner

  private var resources: Resources { evaluator.resources }

  /// Reads the documents of values that are not known yet; absent ones are left to `readAbsent`.
  func read(_ values: [JoinValue], into table: JoinTable, _ node: PlanNode) throws {
    let missing = values.filter { table.documents[$0] == nil && $0.value != nil }
    guard !missing.isEmpty, !table.isGivenUp else { return }
    switch table.key.side {
    case .name, .id: try lookUp(missing, table, node)
    case .field(let path): try seek(missing, path, table, node)
    }
  }

  /// Reads the documents without the field, which no index has, where an outer row really asks for them.
  func readAbsent(into table: JoinTable) throws {
    guard !table.isGivenUp, case .field(let path) = table.key.side else { return }
    let node = PlanNode("TableScan")
    let cursor = try store.everything(in: table.key.scope)
    try gather(cursor, [JoinValue(nil)], path, table, node)
  }

  private func lookUp(_ values: [JoinValue], _ table: JoinTable, _ node: PlanNode) throws {
    var wanted: [(JoinValue, ResourcePath)] = []
    for value in values {
      if let path = table.key.path(of: value.value, in: store.database.id) {
        wanted.append((value, path))
      } else {
        try keep([], for: value, table)
      }
    }
    var rest = wanted[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.lookups)
      rest = rest.dropFirst(part.count)
      var found: [ResourcePath: DocumentRecord] = [:]
      for record in try store.documents(part.map(\.1)[...]) { found[record.name.path] = record }
      node.rows += found.count
      for (value, path) in part {
        try resources.step()
        try keep(found[path].map { [$0] } ?? [], for: value, table)
      }
    }
  }

  private func seek(
    _ values: [JoinValue],
    _ path: FieldPath,
    _ table: JoinTable,
    _ node: PlanNode
  ) throws {
    let others = try constantFilters(table)
    var plain: [JoinValue] = []
    var special: [(JoinValue, Filter)] = []
    for value in values {
      guard let known = value.value else { continue }
      if known.isNull {
        special.append((value, .unary(path, .isNull)))
      } else if known.isNaN {
        special.append((value, .unary(path, .isNaN)))
      } else {
        plain.append(value)
      }
    }
    var rest = plain[...]
    while !rest.isEmpty, !table.isGivenUp {
      let part = Array(rest.prefix(Limits.inValues))
      let list = Filter.field(path, .in, .array(part.compactMap(\.value)))
      guard let cursor = planner.seek(table.key.scope, [others + [list], [list]]) else { break }
      rest = rest.dropFirst(part.count)
      try gather(cursor, part, path, table, node)
    }
    for (value, filter) in special where !table.isGivenUp {
      guard let cursor = planner.seek(table.key.scope, [others + [filter], [filter]]) else {
        rest.append(value)
        continue
      }
      try gather(cursor, [value], path, table, node)
    }
    guard !rest.isEmpty, !table.isGivenUp else { return }
    try gather(try store.everything(in: table.key.scope), Array(rest), path, table, node)
  }

  /// The other conditions of the sub-pipeline that are the same for all outer rows.
  private func constantFilters(_ table: JoinTable) throws -> [Filter] {
    let converter = FilterConverter(scope: table.key.scope, database: store.database.id) {
      try $0.usesVariables ? nil : evaluator.fixedValue($0, [:])
    }
    return try InputPrefix(table.plan.stages, converter).conditions.compactMap(\.filter)
  }

  /// Reads a query to its end and keeps the documents by their value; gives the table up where they are too many.
  private func gather(
    _ cursor: QueryCursor,
    _ values: [JoinValue],
    _ path: FieldPath,
    _ table: JoinTable,
    _ node: PlanNode
  ) throws {
    var found: [JoinValue: [DocumentRecord]] = [:]
    for value in values { found[value] = [] }
    var bytes = 0
    var isDone = false
    while !isDone {
      let chunk = try cursor.next(maxDocuments: Self.lookups, slice: Self.slice)
      isDone = chunk.isDone
      try resources.step()
      for record in chunk.documents {
        try resources.step()
        let value = JoinValue(record.fields.value(at: path))
        guard found[value] != nil else { continue }
        node.rows += 1
        found[value]?.append(record)
        bytes += JoinTable.size([record])
        guard bytes <= evaluator.joins.capacity, resources.hasRoom(bytes) else {
          table.isGivenUp = true
          return
        }
      }
    }
    for value in values { try keep(found[value] ?? [], for: value, table) }
  }

  private func keep(
    _ documents: [DocumentRecord],
    for value: JoinValue,
    _ table: JoinTable
  ) throws {
    if !evaluator.joins.keep(documents, for: value, in: table) { table.isGivenUp = true }
  }
}
