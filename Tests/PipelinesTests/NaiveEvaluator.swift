import BaseText
import FirestoreModel
import PipelineModel

/// An evaluator written from the sheet, without plans, indexes or streams: each stage makes a list of a list.
struct NaiveEvaluator {
  /// A row: fields by name, the document's name under `__name__`, and variables under a dollar sign and their name.
  typealias Fields = [String: Value]

  /// The value of an expression.
  enum Outcome {
    case value(Value)
    case absent
    case failure
  }

  struct Failure: Error {}

  /// The documents of the collection, by name.
  let documents: [Fields]
  /// Those of the collections below them, by name.
  let children: [Fields]

  func run(_ stages: [PipelineStage], outer: Fields = [:]) throws -> [Fields] {
    let variables = Self.variables(of: outer)
    var rows = try input(stages.first, outer).map { $0.merging(variables) { $1 } }
    for stage in stages.dropFirst() { rows = try apply(stage, rows) }
    return rows
  }

  private func input(_ stage: PipelineStage?, _ outer: Fields) throws -> [Fields] {
    let arguments = stage?.arguments ?? []
    return switch stage?.name {
    case "database": documents + children
    case "collection_group": arguments.last == .constant("s") ? children : documents
    case "documents":
      documents.filter { document in
        guard case .reference(let name)? = document["__name__"] else { return false }
        return arguments.contains(.path("/" + name.path.string))
      }
    case "literals":
      try arguments.map { row in
        try entries(row).reduce(into: [:]) { $0[$1.key.string] = try value($1.value, outer) }
      }
    case "subcollection":
      children.filter { child in
        guard case .reference(let name)? = child["__name__"],
          case .reference(let parent)? = outer["__name__"]
        else { return false }
        return name.path.parent.parent == parent.path
      }
    default: documents
    }
  }

  static func variables(of row: Fields) -> Fields { row.filter { $0.key.hasPrefix("$") } }

  private func apply(_ stage: PipelineStage, _ rows: [Fields]) throws -> [Fields] {
    let arguments = stage.arguments
    switch stage.name {
    case "where":
      return rows.filter {
        if case .value(.boolean(true)) = evaluate(arguments[0], $0) { true } else { false }
      }
    case "select":
      return try rows.map { row in
        try entries(arguments[0]).reduce(into: Self.variables(of: row)) {
          $0[$1.key.string] = try value($1.value, row)
        }
      }
    case "let":
      return try rows.map { row in
        try entries(arguments[0]).reduce(into: row) {
          $0["$" + $1.key.string] = try value($1.value, row)
        }
      }
    case "add_fields":
      return try rows.map { row in
        try entries(arguments[0]).reduce(into: row) { result, entry in
          if let value = try value(entry.value, row) { result[entry.key.string] = value }
        }
      }
    case "replace_with": return try rows.map { try replaced($0, arguments) }
    case "remove_fields":
      return rows.map { row in
        var result = row
        for case .field(let path) in arguments { result[path.segments[0].string] = nil }
        return result
      }
    case "sort": return try sorted(rows, arguments)
    case "limit": return Array(rows.prefix(number(arguments[0])))
    case "offset": return Array(rows.dropFirst(number(arguments[0])))
    case "distinct": return try grouped(rows, entries(arguments[0])).map(\.fields)
    case "aggregate": return try aggregated(rows, arguments)
    case "unnest": return try unnested(rows, arguments)
    case "union":
      guard case .pipeline(let inner) = arguments[0] else { throw Failure() }
      return try rows + run(inner)
    default: throw Failure()
    }
  }

  private func replaced(_ row: Fields, _ arguments: [PipelineOperand]) throws -> Fields {
    guard case .map(let map)? = try value(arguments[0], row) else { throw Failure() }
    let mode = arguments.count == 2 ? arguments[1] : .constant("full_replace")
    var result = row
    if mode == .constant("full_replace") {
      result = row.filter { $0.key.hasPrefix("$") || $0.key == "__name__" }
    }
    for entry in map.entries {
      if mode == .constant("merge_keep_existing"), result[entry.key.string] != nil { continue }
      result[entry.key.string] = entry.value
    }
    return result
  }

  private func number(_ operand: PipelineOperand) -> Int {
    if case .constant(.integer(let number)) = operand { Int(number) } else { 0 }
  }

  private func entries(_ operand: PipelineOperand) -> [PipelineOperand.Entry] {
    switch operand {
    case .map(let entries): entries
    case .constant(.map(let map)):
      map.entries.map { PipelineOperand.Entry(key: $0.key, value: .constant($0.value)) }
    default: []
    }
  }

  /// Nil for absent; an error ends the run.
  private func value(_ operand: PipelineOperand, _ row: Fields) throws -> Value? {
    switch evaluate(operand, row) {
    case .value(let value): value
    case .absent: nil
    case .failure: throw Failure()
    }
  }

  private func sorted(_ rows: [Fields], _ orders: [PipelineOperand]) throws -> [Fields] {
    let parts = orders.map { order in
      let entries = entries(order)
      return (
        entries.first { $0.key == "expression" }?.value ?? .constant(.null),
        entries.contains { $0.value == .constant("descending") }
      )
    }
    let keyed = try rows.map { row in
      (row, try parts.map { try value($0.0, row) ?? .null })
    }
    return keyed.enumerated().sorted { left, right in
      for (index, part) in parts.enumerated() {
        let order = left.element.1[index].compare(right.element.1[index])
        if order != .equal { return (order == .ascending) != part.1 }
      }
      return left.offset < right.offset
    }.map(\.element.0)
  }

  private func grouped(
    _ rows: [Fields],
    _ groups: [PipelineOperand.Entry]
  ) throws -> [(fields: Fields, rows: [Fields])] {
    var result: [(keys: [Value], fields: Fields, rows: [Fields])] = []
    for row in rows {
      let keys = try groups.map { try value($0.value, row) ?? .null }
      let known = result.firstIndex { zip($0.keys, keys).allSatisfy { $0.isEqual(to: $1) } }
      if let known {
        result[known].rows.append(row)
      } else {
        let pairs = zip(groups.map(\.key.string), keys)
        result.append((keys, Dictionary(uniqueKeysWithValues: pairs), [row]))
      }
    }
    return result.map { ($0.fields, $0.rows) }
  }

  private func aggregated(_ rows: [Fields], _ arguments: [PipelineOperand]) throws -> [Fields] {
    let groups = arguments.count == 2 ? entries(arguments[1]) : []
    let grouped = groups.isEmpty ? [([:], rows)] : try grouped(rows, groups)
    return try grouped.map { fields, rows in
      try entries(arguments[0]).reduce(into: fields) { result, entry in
        guard case .call(let call) = entry.value else { throw Failure() }
        result[entry.key.string] = try accumulate(call, rows)
      }
    }
  }

  private func accumulate(_ call: PipelineCall, _ rows: [Fields]) throws -> Value {
    guard let operand = call.arguments.first else { return .integer(Int64(rows.count)) }
    let all = try rows.map { try value(operand, $0) ?? .null }
    let values = all.filter { !$0.isNull }
    switch call.name {
    case "count": return .integer(Int64(values.count))
    case "count_if": return .integer(Int64(all.count { $0 == .boolean(true) }))
    case "count_distinct": return .integer(Int64(distinct(values).count))
    case "first": return all.first ?? .null
    case "last": return all.last ?? .null
    case "array_agg": return .array(all)
    case "array_agg_distinct": return .array(distinct(all))
    case "average":
      let numbers = values.compactMap { value -> Double? in
        switch value {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: nil
        }
      }
      return numbers.isEmpty ? .null : .double(numbers.reduce(0, +) / Double(numbers.count))
    case "minimum":
      return values.reduce(Value.null) { $0.isNull || $1.compare($0) == .ascending ? $1 : $0 }
    case "maximum":
      return values.reduce(Value.null) { $0.isNull || $1.compare($0) == .descending ? $1 : $0 }
    case "sum":
      var whole: Int64 = 0
      for case .integer(let number) in values { whole += number }
      var parts: [Double] = []
      for case .double(let number) in values { parts.append(number) }
      return parts.isEmpty ? .integer(whole) : .double(Double(whole) + parts.reduce(0, +))
    default: throw Failure()
    }
  }

  private func distinct(_ values: [Value]) -> [Value] {
    values.reduce(into: []) { found, value in
      if !found.contains(where: { $0.isEqual(to: value) }) { found.append(value) }
    }
  }

  private func unnested(_ rows: [Fields], _ arguments: [PipelineOperand]) throws -> [Fields] {
    guard case .field(let alias) = arguments[1] else { throw Failure() }
    return try rows.flatMap { row -> [Fields] in
      let found = try value(arguments[0], row)
      guard case .array(let elements)? = found else {
        var same = row
        same[alias.segments[0].string] = found
        return [same]
      }
      return elements.map { element in
        var copy = row
        copy[alias.segments[0].string] = element
        return copy
      }
    }
  }

  // Expressions.

  func evaluate(_ operand: PipelineOperand, _ row: Fields) -> Outcome {
    switch operand {
    case .constant(let value): .value(value)
    case .field(let path):
      field(
        path.segments[...],
        .map(MapValue(row.map { .init(key: Text($0.key), value: $0.value) }))
      )
    case .variable(let name): row["$" + name].map(Outcome.value) ?? .absent
    case .map(let fields): map(fields, row)
    case .call(let call):
      if case .pipeline(let stages)? = call.arguments.first {
        rows(of: stages, isScalar: call.name == "scalar", row)
      } else {
        self.call(call, row)
      }
    default: .failure
    }
  }

  /// A map without the fields that are absent.
  private func map(_ fields: [PipelineOperand.Entry], _ row: Fields) -> Outcome {
    var entries: [MapValue.Entry] = []
    for field in fields {
      switch evaluate(field.value, row) {
      case .value(let value): entries.append(.init(key: field.key, value: value))
      case .absent: continue
      case .failure: return .failure
      }
    }
    return .value(.map(MapValue(entries)))
  }

  /// The rows of a sub-pipeline as values; a row of one field is its value.
  private func rows(of stages: [PipelineStage], isScalar: Bool, _ row: Fields) -> Outcome {
    guard let rows = try? run(stages, outer: row) else { return .failure }
    let values = rows.map { row -> Value in
      let fields = row.filter { !$0.key.hasPrefix("$") }
      if fields.count == 1, let only = fields.values.first { return only }
      return .map(MapValue(fields.map { .init(key: Text($0.key), value: $0.value) }))
    }
    guard isScalar else { return .value(.array(values)) }
    return values.count > 1 ? .failure : .value(values.first ?? .null)
  }

  private func field(_ path: ArraySlice<Text>, _ value: Value) -> Outcome {
    guard let name = path.first else { return .value(value) }
    guard case .map(let map) = value, let inner = map[name] else { return .absent }
    return field(path.dropFirst(), inner)
  }

  private func call(_ call: PipelineCall, _ row: Fields) -> Outcome {
    let outcomes = call.arguments.map { evaluate($0, row) }
    if call.name == "and" || call.name == "or" { return junction(outcomes, call.name == "or") }
    if outcomes.contains(where: { if case .failure = $0 { true } else { false } }) {
      return .failure
    }
    let values = outcomes.map { outcome -> Value? in
      if case .value(let value) = outcome { value } else { nil }
    }
    switch call.name {
    case "document_id":
      guard let value = values[0], !value.isNull else { return .value(.null) }
      guard case .reference(let name) = value, let id = name.path.lastID else { return .failure }
      return .value(.string(id))
    case "exists": return .value(.boolean(values[0] != nil))
    case "equal": return .value(.boolean(isEqual(values[0], values[1])))
    case "not_equal": return .value(.boolean(!isEqual(values[0], values[1])))
    case "less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal":
      return .value(.boolean(compares(call.name, values[0], values[1])))
    case "equal_any":
      guard case .array(let list)? = values[1] else { return .failure }
      return .value(.boolean(list.contains { isEqual($0, values[0]) }))
    case "not":
      guard let value = values[0], !value.isNull else { return .value(.null) }
      guard case .boolean(let flag) = value else { return .failure }
      return .value(.boolean(!flag))
    case "array_contains":
      guard let list = values[0], !list.isNull else { return .value(.null) }
      guard case .array(let elements) = list else { return .failure }
      return .value(.boolean(elements.contains { isEqual($0, values[1]) }))
    case "add": return add(values[0], values[1])
    default: return .failure
    }
  }

  private func isEqual(_ left: Value?, _ right: Value?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.isEqual(to: right)
  }

  private func compares(_ name: String, _ left: Value?, _ right: Value?) -> Bool {
    guard let left, let right, left.typeOrder == right.typeOrder else { return false }
    let order = left.compare(right)
    if order == .equal { return name.hasSuffix("equal") }
    return (order == .ascending) == name.hasPrefix("less")
  }

  private func add(_ left: Value?, _ right: Value?) -> Outcome {
    guard let left, let right, !left.isNull, !right.isNull else { return .value(.null) }
    switch (left, right) {
    case (.integer(let left), .integer(let right)): return .value(.integer(left + right))
    case (.integer(let left), .double(let right)): return .value(.double(Double(left) + right))
    case (.double(let left), .integer(let right)): return .value(.double(left + Double(right)))
    case (.double(let left), .double(let right)): return .value(.double(left + right))
    default: return .failure
    }
  }

  private func junction(_ outcomes: [Outcome], _ deciding: Bool) -> Outcome {
    var isFailed = false
    var isNull = false
    for outcome in outcomes {
      switch outcome {
      case .value(.boolean(deciding)): return .value(.boolean(deciding))
      case .value(.boolean): continue
      case .value(.null), .absent: isNull = true
      case .value, .failure: isFailed = true
      }
    }
    return isFailed ? .failure : .value(isNull ? .null : .boolean(!deciding))
  }
}
