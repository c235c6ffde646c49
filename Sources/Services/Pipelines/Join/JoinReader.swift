import BaseText
import DocumentStore
import FirestoreModel

/// Reads the documents that a batch of outer rows looks for: by name, by an index, in one scan, or from the collections below
/// the rows.
struct JoinReader {
  private static let lookups = 300
  private static let slice = 2_000

  let store: PipelineStore
  let evaluator: Evaluator
  let planner: InputPlanner

  private var resources: Resources { evaluator.resources }

  /// Reads the documents of values that are not known yet; absent ones are left to `readAbsent`.
  ///
  /// Returns false where there was no room for those of all values.
  func read(_ values: [JoinValue], into table: JoinTable, _ node: PlanNode) throws -> Bool {
    if case .children = table.key.source { evaluator.joins.makeRoom() }
    let missing = values.filter { table.documents[$0] == nil && $0.value != nil }
    guard !missing.isEmpty, !table.isGivenUp else { return true }
    switch table.key.source {
    case .scope(let scope, .field(let path)):
      try seek(missing, Search(scope: scope, path: path, table: table, node: node))
    case .scope(let scope, let side): try lookUp(missing, side, in: scope, table, node)
    case .children(let segments): return try readBelow(missing, segments, table, node)
    }
    return true
  }

  /// Reads the documents without the field, which no index has, where an outer row really asks for them.
  func readAbsent(into table: JoinTable) throws {
    guard !table.isGivenUp, case .scope(let scope, .field(let path)) = table.key.source
    else { return }
    let search = Search(scope: scope, path: path, table: table, node: PlanNode("TableScan"))
    try gather(try store.everything(in: scope), [JoinValue(nil)], search)
  }

  /// The beginning of a sub-pipeline, with the filters of conditions that are the same for all outer rows.
  func prefix(_ stages: [Stage], in scope: InputScope) throws -> InputPrefix {
    let converter = FilterConverter(scope: scope, database: store.database.id) {
      try $0.usesVariables ? nil : evaluator.fixedValue($0, [:])
    }
    return try InputPrefix(stages, converter)
  }

  /// The beginning of a sub-pipeline as an index could serve it for some outer row, with any value in place of that row's.
  func shape(_ stages: [Stage], in scope: InputScope) throws -> InputPrefix {
    let converter = FilterConverter(scope: scope, database: store.database.id) {
      guard $0.usesVariables else { return try evaluator.fixedValue($0, [:]) }
      return $0.isFixed ? .string("") : nil
    }
    return try InputPrefix(stages, converter)
  }

  private func lookUp(
    _ values: [JoinValue],
    _ side: JoinKey.Side,
    in scope: InputScope,
    _ table: JoinTable,
    _ node: PlanNode
  ) throws {
    var wanted: [JoinValue] = []
    var paths: [ResourcePath] = []
    wanted.reserveCapacity(values.count)
    paths.reserveCapacity(values.count)
    for value in values {
      if let path = scope.path(side, of: value.value, in: store.database.id) {
        wanted.append(value)
        paths.append(path)
      } else {
        try keep([], for: value, table)
      }
    }
    var position = 0
    while position < paths.count {
      let found = try store.lookUp(paths[position...].prefix(Self.lookups))
      for record in found {
        try resources.step()
        if record != nil { node.rows += 1 }
        try keep(record.map { [$0] } ?? [], for: wanted[position], table)
        position += 1
      }
    }
  }

  /// A field that documents are looked for by.
  private struct Search {
    let scope: InputScope
    let path: FieldPath
    let table: JoinTable
    let node: PlanNode
  }

  private func seek(_ values: [JoinValue], _ search: Search) throws {
    let (scope, path, table) = (search.scope, search.path, search.table)
    let others = try prefix(table.plan.stages, in: scope).conditions.compactMap(\.filter)
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
      guard let cursor = planner.seek(scope, [others + [list], [list]]) else { break }
      rest = rest.dropFirst(part.count)
      try gather(cursor, part, search)
    }
    for (value, filter) in special where !table.isGivenUp {
      guard let cursor = planner.seek(scope, [others + [filter], [filter]]) else {
        rest.append(value)
        continue
      }
      try gather(cursor, [value], search)
    }
    guard !rest.isEmpty, !table.isGivenUp else { return }
    try gather(try store.everything(in: scope), Array(rest), search)
  }

  /// Reads a query to its end and keeps the documents by their value; gives the table up where they are too many.
  private func gather(_ cursor: QueryCursor, _ values: [JoinValue], _ search: Search) throws {
    var found: [JoinValue: [DocumentRecord]] = [:]
    for value in values { found[value] = [] }
    var bytes = 0
    let isAllRead = try forEachDocument(of: cursor) { record in
      let value = JoinValue(record.fields.value(at: search.path))
      guard found[value] != nil else { return true }
      search.node.rows += 1
      found[value]?.append(record)
      bytes += JoinTable.size([record])
      return bytes <= evaluator.joins.capacity && resources.hasRoom(bytes)
    }
    guard isAllRead else {
      search.table.isGivenUp = true
      return
    }
    for value in values { try keep(found[value] ?? [], for: value, search.table) }
  }

  /// Reads the collections below a batch of rows, each whole or as far as its constant conditions go.
  ///
  /// Rows of which the rules don't allow the collection as a whole, and those for which there is no room, are left out.
  private func readBelow(
    _ values: [JoinValue],
    _ segments: [Text],
    _ table: JoinTable,
    _ node: PlanNode
  ) throws -> Bool {
    let joins = evaluator.joins
    var count = 0
    for value in values {
      guard case .reference(let name)? = value.value else { continue }
      try resources.step()
      guard let scope = InputScope(segments, below: name) else {
        try keep([], for: value, table)
        continue
      }
      guard try store.mayRead(whole: scope) else { continue }
      let filters = try prefix(table.plan.stages, in: scope).conditions.compactMap(\.filter)
      let seek = filters.isEmpty ? nil : planner.seek(scope, [filters])
      var found: [DocumentRecord] = []
      var bytes = JoinTable.size([])
      let isAllRead = try forEachDocument(of: try seek ?? store.everything(in: scope)) { record in
        found.append(record)
        bytes += JoinTable.size([record])
        return joins.hasRoom(bytes)
      }
      node.rows += found.count
      guard isAllRead, joins.hasRoom(bytes), joins.keep(found, for: value, in: table) else {
        // Those below one row alone take half of the room.
        table.isGivenUp = count == 0
        return false
      }
      count += 1
    }
    return true
  }

  /// Reads a query to its end, or until the visitor has enough; false then.
  private func forEachDocument(
    of cursor: QueryCursor,
    _ visit: (DocumentRecord) throws -> Bool
  ) throws -> Bool {
    while true {
      let chunk = try cursor.next(
        maxDocuments: Self.lookups,
        slice: Self.slice,
        in: store.lent
      )
      try resources.step()
      for record in chunk.documents {
        try resources.step()
        guard try visit(record) else { return false }
      }
      if chunk.isDone { return true }
    }
  }

  private func keep(
    _ documents: [DocumentRecord],
    for value: JoinValue,
    _ table: JoinTable
  ) throws {
    if !evaluator.joins.keep(documents, for: value, in: table) { table.isGivenUp = true }
  }
}
